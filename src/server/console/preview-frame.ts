/**
 * The document in which the console shows a mail or a page. They have styles of their own, which the policy of the console
 * forbids, and a frame with `srcdoc` inherits the policy of its page. So this document, which has an opaque origin and a
 * policy of its own, is given the HTML by its parent and shows it in a frame without scripts, forms and origin.
 */
import { createHash } from 'node:crypto';

const SCRIPT = `
const frame = document.querySelector('iframe');
addEventListener('message', ({ source, data }) => {
  if (source !== parent || typeof data.html !== 'string') return;
  frame.title = String(data.title);
  frame.srcdoc = data.html;
});
parent.postMessage('preview-ready', '*');
`;

const hash = createHash('sha256').update(SCRIPT).digest('base64');

export const PREVIEW_POLICY = `sandbox allow-scripts; default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`;

export const PREVIEW_DOCUMENT = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Preview</title>
<style>html, body, iframe { display: block; width: 100%; height: 100%; margin: 0; border: 0; }</style>
</head>
<body>
<iframe sandbox title="Preview"></iframe>
<script>${SCRIPT}</script>
</body>
</html>
`;
