import { html, Markup } from '../../html.js';
import type { Message } from './mailbox.js';
import { script } from './script.js';
import { style } from './style.js';

export interface PageContent {
  /** Newest first. */
  readonly messages: readonly Message[];
  /** The message to show; null without messages. */
  readonly opened: Message | null;
  /** The user opened the message: on a narrow screen it replaces the list. */
  readonly isChosen: boolean;
  readonly revision: string;
  /** The URL of this server, for the commands to paste. */
  readonly baseUrl: string;
  readonly nonce: string;
}

const icon =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='4' fill='%234f46e5'/><path d='M3 5h10v6.5H3zM3 5l5 4 5-4' fill='none' stroke='white' stroke-width='1.3' stroke-linejoin='round'/></svg>";

/** Renders the page. Its links work without the script, which only saves reloads. URLs are relative to /dev/. */
export function renderPage(content: PageContent): string {
  const { messages, opened, isChosen, revision, nonce } = content;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Latchkey mailbox</title>
<link rel="icon" href="${icon}">
<style nonce="${nonce}">${new Markup(style)}</style>
</head>
<body data-revision="${revision}" data-chosen="${String(isChosen && opened !== null)}">
<header class="top">
  <h1><a href="mailbox">Mailbox</a></h1>
  <p class="state" id="state" role="status"><span class="dot"></span><span id="state-text">Nothing here leaves this machine</span></p>
  <button type="button" class="quiet" id="empty" hidden>Empty</button>
</header>
<div class="columns">
  <nav id="list" aria-label="Messages">${renderList(messages, opened)}</nav>
  <main id="pane" tabindex="-1">${opened === null ? renderEmpty(content.baseUrl) : renderMessage(opened)}</main>
</div>
<p class="keys" aria-hidden="true"><kbd>j</kbd> <kbd>k</kbd> next, previous <kbd>c</kbd> copy the code <kbd>o</kbd> open the link</p>
<p class="unseen" id="news" role="status" aria-live="polite"></p>
<script nonce="${nonce}">${new Markup(script)}</script>
</body>
</html>
`;
  return page.text;
}

function renderList(messages: readonly Message[], opened: Message | null): Markup {
  if (messages.length === 0) return html`<p class="none">No messages yet</p>`;
  return html`<ol>${messages.map(
    (message) => html`<li><a class="item" href="mailbox?open=${message.id}" data-id="${message.id}"${
      message === opened && new Markup(' aria-current="true"')
    }>
<span class="to">${message.kind === 'sms' ? `+${message.to}` : message.to}</span>${renderTime(message)}
<span class="subject">${title(message)}</span><span class="badge">${message.kind === 'sms' ? 'SMS' : 'Mail'}</span>
</a></li>`,
  )}</ol>`;
}

const title = ({ kind, subject, text }: Message): string => (kind === 'sms' ? text : subject || '(no subject)');

function renderTime({ sentAt }: Message): Markup {
  const date = new Date(sentAt);
  // The server runs on the user's machine, so its time zone is right.
  return html`<time datetime="${sentAt}" title="${date.toString()}">${date.toTimeString().slice(0, 8)}</time>`;
}

function renderMessage(message: Message): Markup {
  const { id, kind, to, text, html: body, codes, links, headers } = message;
  const hasHeaders = Object.keys(headers).length > 0;
  const tabs = [...(body === null ? [] : ['Mail']), 'Text', ...(hasHeaders ? ['Headers'] : [])];
  const panels: Record<string, () => Markup> = {
    // The URL of the frame has its own policy, so this page need not permit the styles of a mail.
    Mail: () =>
      html`<iframe title="The mail as it looks" src="mailbox/${id}/body.html" sandbox="allow-popups allow-popups-to-escape-sandbox" referrerpolicy="no-referrer"></iframe>`,
    Text: () => html`<pre class="${kind === 'sms' ? 'bubble' : 'plain'}">${text}</pre>`,
    Headers: () =>
      html`<dl class="headers">${Object.entries(headers).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`,
  };
  return html`<article data-id="${id}">
<a class="back" href="mailbox">All messages</a>
<h2>${kind === 'sms' ? 'Text message' : title(message)}</h2>
<p class="meta">To <strong>${kind === 'sms' ? `+${to}` : to}</strong> at ${renderTime(message)}</p>
${
  codes.length > 0 &&
  html`<div class="codes">${codes.map(
    (code) =>
      html`<button type="button" class="code" data-copy="${code}"><span class="digits">${code}</span><span class="hint">Copy</span></button>`,
  )}</div>`
}
${
  links.length > 0 &&
  html`<ul class="links">${links.map(
    (link) =>
      html`<li><a href="${link}" target="_blank" rel="noopener noreferrer">${link}</a><button type="button" class="quiet" data-copy="${link}"><span class="hint">Copy</span></button></li>`,
  )}</ul>`
}
<div class="tabs" role="tablist" aria-label="Views of the message">${tabs.map(
    (tab, i) =>
      html`<button type="button" role="tab" id="tab-${tab}" aria-controls="panel-${tab}" aria-selected="${String(i === 0)}" tabindex="${i === 0 ? '0' : '-1'}">${tab}</button>`,
  )}</div>
${tabs.map(
  (tab, i) =>
    html`<div class="panel" role="tabpanel" id="panel-${tab}" aria-labelledby="tab-${tab}"${i > 0 && new Markup(' hidden')}>${panels[tab]!()}</div>`,
)}
</article>`;
}

function renderEmpty(baseUrl: string): Markup {
  const line = (body: string) => `curl -s ${baseUrl}/otp -d '${body}'`;
  return html`<section class="welcome">
<h2>No messages yet</h2>
<p>Every mail and text message of this server lands here instead of being sent, and is gone when it stops. Ask for one, and it appears by itself:</p>
${[line('{"email":"you@example.com"}'), line('{"phone":"15555550100"}')].map(
  (text) =>
    html`<div class="paste"><pre>${text}</pre><button type="button" class="quiet" data-copy="${text}"><span class="hint">Copy</span></button></div>`,
)}
<p>Scripts and tests read the same as JSON:</p>
<div class="paste"><pre>curl -s '${baseUrl}/dev/mailbox/messages.json?to=you@example.com'</pre></div>
</section>`;
}
