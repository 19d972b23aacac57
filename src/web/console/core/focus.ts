/** Where the focus goes, so that a keyboard is never sent back to the beginning of the document. */

/** The page itself: from there, Tab goes into it and `j` to its first row. */
export const focusPage = (): void => document.getElementById('main')?.focus();

/** What can have the focus in a row of a list. */
const IN_ROW = 'a, button:enabled, input:enabled';

/**
 * @returns gives the focus back to what has it now, unless something has it by then; a deed may have taken that away: then
 * to the row in its place, else to the page
 */
export function rememberFocus(): () => void {
  const former = document.activeElement;
  if (!(former instanceof HTMLElement)) return focusPage;
  const row = former.closest('tr');
  const rows = row?.parentElement ?? null;
  const at = row === null || rows === null ? -1 : [...rows.children].indexOf(row);
  return () => {
    if (document.activeElement !== document.body) return;
    former.focus();
    if (document.activeElement === former && former !== document.body) return;
    const left = rows?.isConnected ? [...rows.children] : [];
    const next = (left[at] ?? left.at(-1))?.querySelector<HTMLElement>(IN_ROW);
    if (next) next.focus();
    else focusPage();
  };
}
