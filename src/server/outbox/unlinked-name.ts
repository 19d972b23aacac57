/** Programs that show a message make links of what looks like an address. A name that users choose could so lead readers anywhere. */

/** Is not seen, is no part of any domain (RFC 5892), and breaks no line. */
const WORD_JOINER = '\u2060';

/** @returns the name, which looks the same, without anything that becomes a link */
export const unlinkName = (name: string): string =>
  name.replace(/(?<=[\p{L}\p{N}_-])[.\u3002\uff0e\uff61](?=[\p{L}\p{N}_-])|:(?=\/\/)/gu, `$&${WORD_JOINER}`);
