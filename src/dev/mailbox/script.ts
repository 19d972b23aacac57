/**
 * The script of the page: polls every 2 s, opens messages without a reload, copies, handles keys. It takes its markup from
 * the server's pages, so that only the server renders.
 */
export const script = `
'use strict';
const POLL_MS = 2000;
const $ = (selector, from = document) => from.querySelector(selector);
const list = $('#list');
const pane = $('#pane');
const openId = () => new URLSearchParams(location.search).get('open');
let revision = document.body.dataset.revision;
let chosenTab = null;

async function load(address) {
  const answer = await fetch(address, { cache: 'no-store' });
  if (!answer.ok) throw new Error(String(answer.status));
  // Its style sheet has another nonce, and this page has one already.
  const text = (await answer.text()).replace(/<style[^]*?<.style>/, '');
  return new DOMParser().parseFromString(text, 'text/html');
}

function showList(page) {
  const focused = list.contains(document.activeElement) ? document.activeElement.dataset.id : null;
  const fresh = new Set([...list.querySelectorAll('.is-new')].map((item) => item.dataset.id));
  const known = new Set([...list.querySelectorAll('.item')].map((item) => item.dataset.id));
  list.replaceChildren(...$('#list', page).childNodes);
  const shown = pane.querySelector('article')?.dataset.id;
  for (const item of list.querySelectorAll('.item')) {
    const isShown = item.dataset.id === shown;
    item.toggleAttribute('aria-current', isShown);
    if (isShown) item.setAttribute('aria-current', 'true');
    else if (fresh.has(item.dataset.id) || !known.has(item.dataset.id)) item.classList.add('is-new');
    if (item.dataset.id === focused) item.focus();
  }
  $('#empty').hidden = $('.item', list) === null;
}

function showPane(page) {
  pane.replaceChildren(...$('#pane', page).childNodes);
  pane.scrollTop = 0;
  const tab = chosenTab && document.getElementById(chosenTab);
  if (tab) selectTab(tab);
}

async function open(id, address) {
  const page = await load(address);
  history[id === openId() ? 'replaceState' : 'pushState'](null, '', address);
  showPage(page);
}

function showPage(page) {
  document.body.dataset.chosen = page.body.dataset.chosen;
  showPane(page);
  showList(page);
}

async function refresh() {
  const hadMessage = pane.querySelector('article') !== null;
  const page = await load(openId() ? 'mailbox?open=' + encodeURIComponent(openId()) : 'mailbox');
  const before = list.querySelector('.item')?.dataset.id;
  // An opened message stays.
  if (!openId() || !hadMessage) showPane(page);
  showList(page);
  const first = list.querySelector('.item');
  if (first && first.dataset.id !== before) {
    $('#news').textContent = 'New message to ' + $('.to', first).textContent + ': ' + $('.subject', first).textContent;
  }
}

async function poll() {
  try {
    const answer = await fetch('mailbox/messages.json', { cache: 'no-store', headers: { 'If-None-Match': '"' + revision + '"' } });
    if (answer.status === 200) {
      revision = (answer.headers.get('ETag') || '').replaceAll('"', '');
      await refresh();
    }
    setState(true);
  } catch {
    setState(false);
  }
  setTimeout(poll, POLL_MS);
}

function setState(isOnline) {
  const text = isOnline ? 'Nothing here leaves this machine' : 'The server does not answer; still trying';
  $('#state').classList.toggle('is-offline', !isOnline);
  if ($('#state-text').textContent !== text) $('#state-text').textContent = text;
}

async function copy(button) {
  const text = button.dataset.copy;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Only pages from localhost or over HTTPS have a clipboard.
    const field = document.createElement('textarea');
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
    button.focus();
  }
  const hint = $('.hint', button);
  button.classList.add('is-copied');
  hint.textContent = 'Copied';
  $('#news').textContent = 'Copied';
  setTimeout(() => {
    button.classList.remove('is-copied');
    hint.textContent = 'Copy';
  }, 1500);
}

function selectTab(tab) {
  for (const other of pane.querySelectorAll('[role=tab]')) {
    const isSelected = other === tab;
    other.setAttribute('aria-selected', String(isSelected));
    other.tabIndex = isSelected ? 0 : -1;
    document.getElementById(other.getAttribute('aria-controls')).hidden = !isSelected;
  }
}

function move(step) {
  const items = [...list.querySelectorAll('.item')];
  if (items.length === 0) return;
  const at = items.findIndex((item) => item.hasAttribute('aria-current'));
  const next = items[Math.min(items.length - 1, Math.max(0, at + step))];
  next.focus();
  void open(next.dataset.id, next.getAttribute('href'));
}

document.addEventListener('click', (event) => {
  const button = event.target.closest('[data-copy]');
  if (button) return void copy(button);
  const tab = event.target.closest('[role=tab]');
  if (tab) {
    chosenTab = tab.id;
    return selectTab(tab);
  }
  const item = event.target.closest('.item, .back');
  if (!item || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  void open(item.dataset.id || null, item.getAttribute('href'));
});

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const tab = event.target.closest('[role=tab]');
  if (tab && (event.key === 'ArrowRight' || event.key === 'ArrowLeft')) {
    const tabs = [...pane.querySelectorAll('[role=tab]')];
    const next = tabs[(tabs.indexOf(tab) + (event.key === 'ArrowRight' ? 1 : -1) + tabs.length) % tabs.length];
    chosenTab = next.id;
    selectTab(next);
    return next.focus();
  }
  const inList = list.contains(event.target);
  if (event.key === 'j' || (inList && event.key === 'ArrowDown')) move(1);
  else if (event.key === 'k' || (inList && event.key === 'ArrowUp')) move(-1);
  else if (event.key === 'c') pane.querySelector('.code')?.click();
  else if (event.key === 'o') pane.querySelector('.links a')?.click();
  else return;
  event.preventDefault();
});

window.addEventListener('popstate', () => void load(location.href).then(showPage));

$('#empty').addEventListener('click', async () => {
  await fetch('mailbox', { method: 'DELETE' });
  history.replaceState(null, '', 'mailbox');
  showPage(await load('mailbox'));
});
$('#empty').hidden = $('.item', list) === null;
setTimeout(poll, POLL_MS);
`;
