import { pageTitleOf } from '../../message-kinds.js';

interface HtmlPage {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Fields of the form, from the link. */
interface Link {
  readonly type: string;
  readonly linkToken: string;
}

/**
 * Renders a page with a button that redeems a link by POST. Mail scanners and previews, which fetch every URL of a
 * mail, do not press it.
 */
export function confirmPage({ type, linkToken }: Link, redirectTo: string, path: string): HtmlPage {
  // Relative, so that it also works behind a proxy with a path prefix.
  const action = path.endsWith('/') ? 'confirm' : 'verify/confirm';
  const title = pageTitleOf(type);
  const field = (name: string, value: string) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;
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
button { font: inherit; font-weight: 600; padding: .75rem 1.5rem; border: 0; border-radius: .5rem; background: #1f5eff; color: #fff; cursor: pointer; }
button:focus-visible { outline: 3px solid #8fb0ff; outline-offset: 2px; }
</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>Press the button to go on. The link works once.</p>
<form method="post" action="${action}">
${field('type', type)}
${field('token', linkToken)}
${field('redirect_to', redirectTo)}
<button type="submit" autofocus>${title}</button>
</form>
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
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
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

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!);
