/** Pages that need no hosted pages: a heading, some words, a button. */

export interface HtmlPage {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * @param title one of ours, as it is
 * @param main HTML
 * @param script source of the one that may run (Content-Security-Policy); empty: none
 */
export function plainDocument(title: string, main: string, script = ''): HtmlPage {
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { min-height: 100vh; margin: 0; display: grid; place-items: center; background: Canvas; color: CanvasText; }
main { max-width: 24rem; padding: 2rem; text-align: center; }
button, .button { font: inherit; font-weight: 600; padding: .75rem 1.5rem; border: 0; border-radius: .5rem; background: #1f5eff; color: #fff; cursor: pointer; }
.button { display: inline-block; text-decoration: none; }
button:focus-visible, .button:focus-visible { outline: 3px solid #8fb0ff; outline-offset: 2px; }
</style>
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`;
  return {
    body,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Frame-Options': 'DENY',
      // Without form-action, which would block the redirect to the site.
      'Content-Security-Policy':
        `default-src 'none'; ${script && `script-src ${script}; `}` +
        "style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    },
  };
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!);
