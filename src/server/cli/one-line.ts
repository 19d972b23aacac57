/** On one line; JSON escapes control characters, so that no value can redraw the terminal. */
export const onOneLine = (text: string): string =>
  /[\u0000-\u001f\u007f-\u009f]/.test(text) ? JSON.stringify(text) : text;

/** One word of a shell command. */
export const quoteWord = (word: string): string =>
  /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
