import { html, Markup } from '../../html.js';
import { colours } from '../colours.js';

export interface StartPage {
  readonly version: string;
  /** The URL of this server. */
  readonly ownUrl: string;
  /** The hosted pages are on. */
  readonly hasPages: boolean;
  /** The identity provider of a company is on. */
  readonly hasCompany: boolean;
  /** Origin of the console; null where it is off. */
  readonly consoleUrl: string | null;
  /** The documentation is here. */
  readonly hasSite: boolean;
  readonly nonce: string;
}

/** Without scripts. URLs are relative to the root of the API. */
export function renderStartPage({
  version,
  ownUrl,
  hasPages,
  hasCompany,
  consoleUrl,
  hasSite,
  nonce,
}: StartPage): string {
  const signUp = `curl -s ${ownUrl}/signup -d '{"email":"you@example.com","password":"correct horse battery"}'`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Latchkey</title>
<link rel="icon" href="${icon}">
<style nonce="${nonce}">${new Markup(style)}</style>
</head>
<body>
<main>
<header>
  <h1>Latchkey <span class="version">${version}</span></h1>
  <p>An authentication server runs here for development. Its API answers at <code>${ownUrl}</code>.</p>
</header>
<ul class="cards">
${hasPages && card('ui/sign-in', 'Sign-in pages', 'What your users see: sign in, sign up, recover.')}
${hasPages && card('ui/account', 'Account', 'Where users change passwords, passkeys and factors.')}
${card('dev/mailbox', 'Mailbox', 'Mails and texts, which do not leave this machine.')}
${hasCompany && card('dev/identity-provider', 'Company', 'Two people of company.example, who sign in with SAML.')}
${consoleUrl !== null && card(consoleUrl, 'Console', 'Users, sessions and settings. The terminal shows a link that signs you in.')}
${hasSite && card('docs/', 'Documentation', 'Guides, settings, errors and reasons, with a search. The first visit builds it.')}
${card('openapi.json', 'OpenAPI', 'Every endpoint with its fields and errors, as JSON.')}
${card('.well-known/openid-configuration', 'Discovery', 'Issuer, keys and endpoints for clients.')}
</ul>
<section>
<h2>Try it</h2>
<pre tabindex="0">${signUp}</pre>
<p>Addresses are confirmed at once. The answer has an access token, which <code>GET /user</code> takes.
See also <a href="settings">the public settings</a>, <a href=".well-known/jwks.json">the public keys</a> and
<a href="health/ready">whether the server is ready</a>.</p>
<p>Sign-ins and links that name no <code>redirect_to</code> end here. With <code>AUTH_SITE_URL</code> they end at your application.</p>
</section>
<footer>In production this address answers 404.</footer>
</main>
</body>
</html>
`.text;
}

const card = (href: string, title: string, text: string): Markup =>
  html`<li><a href="${href}"><strong>${title}</strong><span>${text}</span></a></li>`;

const icon =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='4' fill='%234f46e5'/><circle cx='6' cy='8' r='2.5' fill='none' stroke='white' stroke-width='1.4'/><path d='M8.5 8H13v2M11 8v1.6' fill='none' stroke='white' stroke-width='1.4' stroke-linecap='round'/></svg>";

const style = `${colours}
* { box-sizing: border-box; }
body { margin: 0; padding: clamp(1.5rem, 6vh, 4rem) 1.25rem 2rem; background: var(--ground); color: var(--ink); }
main { max-width: 56rem; margin: 0 auto; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: .2rem; }
h1 { margin: 0; font-size: 1.9rem; line-height: 1.2; letter-spacing: -.01em; }
.version { margin-left: .35rem; color: var(--soft); font-size: 1rem; font-weight: 400; letter-spacing: 0; }
header p { margin: .5rem 0 1.75rem; color: var(--soft); }
h2 { margin: 2.25rem 0 .75rem; font-size: 1.1rem; }
ul { margin: 0; padding: 0; list-style: none; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)); gap: .9rem; }
.cards a { display: flex; flex-direction: column; gap: .2rem; height: 100%; padding: 1rem 1.15rem; border: 1px solid var(--line); border-radius: .8rem; background: var(--card); color: inherit; text-decoration: none; }
.cards a:hover { border-color: var(--accent); }
.cards a:focus-visible { border-radius: .8rem; }
.cards strong { color: var(--accent); font-size: 1.05rem; }
.cards span { color: var(--soft); font-size: .92rem; }
section p { margin: .75rem 0 0; color: var(--soft); }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace; font-size: .88rem; }
code { color: var(--ink); }
pre { margin: 0; padding: .9rem 1.15rem; border: 1px solid var(--line); border-radius: .8rem; background: var(--card); overflow-x: auto; }
footer { margin-top: 2.5rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .85rem; }
`;
