/** A page whose form the browser sends by itself; where scripts are off, with a button. */
import { createHash } from 'node:crypto';
import { escapeHtml, type HtmlPage, plainDocument } from './plain-document.js';

const SCRIPT = 'document.forms[0].submit()';
const SCRIPT_SOURCE = `'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`;

/**
 * @param title one of ours
 * @param address of another server
 * @param fields whose names are ours
 */
export function formPage(title: string, address: string, fields: Readonly<Record<string, string>>): HtmlPage {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`,
  );
  const main = `<form method="post" action="${escapeHtml(address)}">
${inputs.join('\n')}
<noscript><button>Go on</button></noscript>
</form>
<script>${SCRIPT}</script>`;
  return plainDocument(title, main, SCRIPT_SOURCE);
}
