import { compile, type FormatCallback } from 'html-to-text';

const BLOCKS =
  'address article blockquote div dl dt dd footer form h1 h2 h3 h4 h5 h6 header hr li main ol p pre section table tr ul';

/** Writes the text of a link and, on the next line, its target. */
const formatLink: FormatCallback = (element, walk, builder) => {
  let text = '';
  builder.pushWordTransform((word) => {
    text += word;
    return word;
  });
  walk(element.children, builder);
  builder.popWordTransform();
  const target = (element.attribs['href'] ?? '').trim();
  if (target === text || !/^(https?|mailto):/i.test(target)) return;
  if (text !== '') builder.addInline(':');
  builder.addLineBreak();
  builder.addInline(target);
  builder.addLineBreak();
};

const convert = compile({
  wordwrap: false,
  whitespaceCharacters: ' \t\r\n\f\u200b\u00a0',
  // The library is recursive: without a limit, deep markup of a template overflows the stack.
  limits: { maxDepth: 100 },
  formatters: {
    link: formatLink,
    cell(element, walk, builder) {
      builder.addInline(' ');
      walk(element.children, builder);
    },
  },
  selectors: [
    ...BLOCKS.split(' ').map((selector) => ({
      selector,
      format: 'block',
      options: { leadingLineBreaks: 2, trailingLineBreaks: 2 },
    })),
    ...['head', 'img', 'script', 'style', 'template', 'title'].map((selector) => ({ selector, format: 'skip' })),
    ...['td', 'th'].map((selector) => ({ selector, format: 'cell' })),
    { selector: 'a', format: 'link' },
  ],
});

/** @returns the text alternative of a mail; the target of a link is on its own line */
export const htmlToText = (html: string): string => `${convert(html)}\n`;
