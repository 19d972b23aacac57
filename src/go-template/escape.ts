/** Escapers of HTML text and attributes. */

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
  '+': '&#43;',
};

/** Escapes text and quoted attributes as Go's html/template does. */
export const escapeText = (text: string): string => text.replace(/[&<>"'+]/g, (character) => ENTITIES[character]!);

/** The same for an attribute without quotes, which a blank would end. */
export const escapeUnquoted = (text: string): string =>
  escapeText(text).replace(/[ =`\u0000-\u001f]/g, (character) => `&#${character.charCodeAt(0)};`);
