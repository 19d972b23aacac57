/** Messages in a form that the browser sends by itself (SAML Bindings 3.5, HTTP-POST). */
import { createHash } from 'node:crypto';
import { html } from '../../html.js';
import type { App } from '../runtime/app.js';
import type { OutgoingMessage } from './redirect-binding.js';
import type { ServiceProvider } from './service-provider.js';

const SCRIPT = 'document.forms[0].submit()';
const SCRIPT_HASH = createHash('sha256').update(SCRIPT).digest('base64');

/** A whole document, with the headers that go with it. */
export interface FormPage {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A page that sends the message, signed, to the identity provider: by itself, or with a button where scripts are off.
 * @param address of the identity provider
 */
export async function signedForm(
  { crypto }: Pick<App, 'crypto'>,
  { keyPem }: Pick<ServiceProvider, 'keyPem'>,
  address: string,
  { parameter, xml, relayState }: OutgoingMessage,
): Promise<FormPage> {
  const message = Buffer.from(await crypto.signSaml({ text: xml, isXml: true, key: keyPem })).toString('base64');
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="robots" content="noindex"><title>Signing out</title></head>
<body>
<form method="post" action="${address}">
<input type="hidden" name="${parameter}" value="${message}">
${relayState === '' ? null : html`<input type="hidden" name="RelayState" value="${relayState}">`}
<noscript><button>Go on</button></noscript>
</form>
<script>`;
  return {
    body: `${page.text}${SCRIPT}</script>\n</body>\n</html>\n`,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Frame-Options': 'DENY',
      'Content-Security-Policy': `default-src 'none'; script-src 'sha256-${SCRIPT_HASH}'; base-uri 'none'; frame-ancestors 'none'`,
    },
  };
}
