/** Takes credentials of addresses out of a text that people read. */

/** What stands around addresses in a text. */
const WORD = /[^\s"']+/g;
const END_OF_QUERY = /[#,)\]}]/g;

/**
 * One pass: the texts are those of settings, which may be long and made to be slow.
 * @returns the text without passwords and queries of the URLs in it, which may have a token
 */
export const hideCredentials = (text: string): string =>
  text.includes('://') ? text.replace(WORD, (word) => (word.includes('://') ? hideInWord(word) : word)) : text;

function hideInWord(word: string): string {
  let shown = '';
  let from = 0;
  for (let at = word.indexOf('://'); at >= 0; at = word.indexOf('://', from)) {
    const start = at + '://'.length;
    const next = word.indexOf('://', start);
    const address = word.slice(start, next < 0 ? word.length : next);
    const [authority = ''] = address.split(/[/?#]/, 1);
    const afterUser = authority.lastIndexOf('@') + 1;
    const query = address.indexOf('?');
    shown += `${word.slice(from, start)}${afterUser > 0 ? '(hidden)@' : ''}`;
    if (query < 0) {
      from = start + afterUser;
      if (next < 0) break;
      shown += word.slice(from, next);
      from = next;
      continue;
    }
    END_OF_QUERY.lastIndex = start + query + 1;
    const end = END_OF_QUERY.exec(word)?.index ?? word.length;
    shown += word.slice(start + afterUser, start + query + 1) + (end > start + query + 1 ? '(hidden)' : '');
    from = end;
  }
  return shown + word.slice(from);
}
