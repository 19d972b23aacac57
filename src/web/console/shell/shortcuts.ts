/**
 * Keys: `/` search, `j k` rows, `x` selects one, `b` what can be done with the selected, `n` next page, `g` and a letter for
 * a page, `?` help, Ctrl-K. Those without Ctrl can be switched off (WCAG 2.2, 2.1.4).
 */

import { focusPage } from '../core/focus.js';
import { navigate } from '../core/location.js';
import { hasShortcuts } from '../core/preferences.js';
import { may, operator, overlay } from '../core/state.js';
import { consolePages } from '../pages/index.js';

/** How long after `g` a letter belongs to it. */
const CHORD_MS = 1500;
let chordEnds = 0;

export function startKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (isPaletteKey(event)) {
      event.preventDefault();
      overlay.value = 'palette';
      return;
    }
    // It has emptied the field by then.
    if (event.key === 'Escape' && event.target instanceof HTMLElement && event.target.matches('[data-search]')) {
      if (document.querySelector('dialog[open]') === null) focusPage();
      return;
    }
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!hasShortcuts.value || operator.value == null || isTyping(event.target)) return;
    if (document.querySelector('dialog[open]') !== null) return;
    if (press(event.key)) event.preventDefault();
  });
}

/** It has a modifier, so it stays on. */
const isPaletteKey = (event: KeyboardEvent): boolean =>
  (event.ctrlKey || event.metaKey) &&
  event.key === 'k' &&
  operator.value != null &&
  document.querySelector('dialog[open]') === null;

/** @returns whether the key means something */
function press(key: string): boolean {
  if (Date.now() < chordEnds) {
    chordEnds = 0;
    const page = consolePages.find(({ menu, role }) => menu?.key === key && may(role));
    if (page !== undefined) navigate(page.path);
    return page !== undefined;
  }
  switch (key) {
    case 'g':
      chordEnds = Date.now() + CHORD_MS;
      return true;
    case '?':
      overlay.value = 'help';
      return true;
    case '/':
      return focus('[data-search]');
    case 'j':
      return moveRow(1);
    case 'k':
      return moveRow(-1);
    case 'x':
      return selectRow();
    case 'b':
      return focus('.bulk button');
    case 'n':
      return click('a[data-next]');
    default:
      return false;
  }
}

function focus(selector: string): boolean {
  const element = document.querySelector<HTMLElement>(selector);
  element?.focus();
  if (element instanceof HTMLInputElement) element.select();
  return element !== null;
}

function click(selector: string): boolean {
  const element = document.querySelector<HTMLElement>(selector);
  element?.click();
  return element !== null;
}

/** Rows are where their first link is; Enter follows it. */
function moveRow(step: 1 | -1): boolean {
  const links = [...document.querySelectorAll<HTMLElement>('table.list tbody tr')]
    .map((row) => row.querySelector<HTMLElement>('a, button'))
    .filter((one) => one !== null);
  if (links.length === 0) return false;
  const row = document.activeElement?.closest('tr');
  const at = links.findIndex((link) => link.closest('tr') === row);
  const next = at === -1 ? (step === 1 ? 0 : links.length - 1) : Math.min(Math.max(at + step, 0), links.length - 1);
  links[next]!.focus();
  links[next]!.scrollIntoView({ block: 'nearest' });
  return true;
}

function selectRow(): boolean {
  const box = document.activeElement?.closest('tr')?.querySelector<HTMLInputElement>('input[type="checkbox"]');
  box?.click();
  return box != null;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return target.type !== 'checkbox';
  return target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}
