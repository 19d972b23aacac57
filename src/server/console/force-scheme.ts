export type Scheme = 'light' | 'dark';

export const schemeOf = (wanted: string | undefined): Scheme => (wanted === 'dark' ? 'dark' : 'light');

/** Always true, and always false, for a screen. */
const [ON, OFF] = ['(min-width:0)', '(max-width:0)'];

/** @returns the document as it looks in light or in dark mode, whatever the browser prefers */
export function forceScheme(html: string, scheme: Scheme): string {
  const forced = html.replace(/\(\s*prefers-color-scheme\s*:\s*(light|dark)\s*\)/gi, (_, one: string) =>
    one.toLowerCase() === scheme ? ON : OFF,
  );
  // After the end of the document, which parsers put into its body.
  return `${forced}<style>:root { color-scheme: ${scheme}; }</style>\n`;
}
