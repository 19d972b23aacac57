/** Colours and font of the pages of `latchkey dev`, light and dark. */
export const colours = `:root {
  --ground: #f6f6f9; --card: #fff; --ink: #1c1c28; --soft: #5f6075; --line: #e2e2ec;
  --accent: #4f46e5; --accent-soft: #ecebfd; --good: #16803c; --bad: #b42318;
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #111118; --card: #1a1a24; --ink: #ececf4; --soft: #a3a4b8; --line: #2d2d3b;
    --accent: #a5a0ff; --accent-soft: #28264a; --good: #5dd68a; --bad: #ff8d82;
  }
}
`;
