/** Text as a command printed it. It has no height of its own, so that it needs no keys to scroll. */
export const Output = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <section aria-label={label}>
    <pre class="output">{text}</pre>
  </section>
);
