/** @returns the text without passwords and queries of the URLs in it, which may have a token */
export const hideCredentials = (text: string): string =>
  text
    .replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"']*@/gi, '$1(hidden)@')
    .replace(/\b([a-z][a-z0-9+.-]*:\/\/[^\s?"']*\?)[^\s"'#,)\]}]+/gi, '$1(hidden)');
