/** Where the focus goes, so that a keyboard is never sent back to the beginning of the document. */

/** The page itself: from there, Tab goes into it and `j` to its first row. */
export const focusPage = (): void => document.getElementById('main')?.focus();

/** What can have the focus in a row of a list. */
const IN_ROW = 'a, button:enabled, input:enabled';

const hasFocus = (): boolean => document.activeElement !== document.body;

/**
 * Remembers which element has the focus.
 * @returns restores the focus, unless another element has it: to that element, or, if it was removed, to the row that is now
 * in its place, or else to the page
 */
export function rememberFocus(): () => void {
  const former = document.activeElement;
  const row = former?.closest('tr') ?? null;
  const rows = row?.parentElement ?? null;
  const at = row === null || rows === null ? -1 : [...rows.children].indexOf(row);
  return () => {
    if (hasFocus()) return;
    if (former instanceof HTMLElement) former.focus();
    if (hasFocus()) return;
    const left = rows?.isConnected ? [...rows.children] : [];
    const next = (left[at] ?? left.at(-1))?.querySelector<HTMLElement>(IN_ROW);
    if (next) next.focus();
    else focusPage();
  };
}
