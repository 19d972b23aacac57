/** A page, as a reply carries it. */
export interface HtmlPage {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Form names → values the button sends; all of them come from the link. */
interface Link {
  readonly type: string;
  readonly linkToken: string;
}

const titles: Readonly<Record<string, string>> = {
  signup: 'Confirm your address',
  invite: 'Accept the invitation',
  recovery: 'Go on to your new password',
  magiclink: 'Sign in',
  email: 'Confirm your address',
  email_change: 'Confirm the change of address',
};

/**
 * A small page with one button that redeems a link by POST. Mail scanners and previews that fetch every address in a
 * mail get this far and no further.
 */
export function confirmPage({ type, linkToken }: Link, redirectTo: string, path: string): HtmlPage {
  // Relative, so that it also leads home behind a proxy that serves this path under another one.
  const action = path.endsWith('/') ? 'confirm' : 'verify/confirm';
  const title = Object.hasOwn(titles, type) ? titles[type]! : 'Continue';
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
      // The redirect that follows the button leads to the site, which form-action would otherwise forbid.
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
