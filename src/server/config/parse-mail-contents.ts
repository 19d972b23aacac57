/** Mails in the operator's own words, by language: AUTH_MAILER_CONTENTS_<kind>. */
import { compileTemplate, TemplateError } from '../../go-template/index.js';
import type { Parsed } from './parse.js';

/** What a language replaces; the rest is that of `default`, then of the other settings. */
export interface MailContent {
  readonly subject?: string;
  /** A template of HTML. */
  readonly body?: string;
}

/** By language tag in lower case, or `default`. */
export type MailContents = Readonly<Record<string, MailContent>>;

/** For mails to users whose language has none. */
export const DEFAULT_CONTENT = 'default';

const MAX_BODY_BYTES = 65_536;
const MAX_LANGUAGES = 20;
const LANGUAGE = /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/;

const fault = (fault: string): { fault: string } => ({ fault });

/** JSON: language → {"subject", "body"}. Every template is compiled, so one that does not work is refused here. */
export function parseMailContents(text: string): Parsed<MailContents> {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return fault('must be a JSON object: language → {"subject", "body"}');
  }
  if (!isObject(given)) return fault('must be a JSON object: language → {"subject", "body"}');
  const entries = Object.entries(given).map(([tag, content]) => [tag.toLowerCase(), content] as const);
  if (entries.length > MAX_LANGUAGES) return fault(`may have at most ${MAX_LANGUAGES} languages`);
  const contents: Record<string, MailContent> = {};
  for (const [tag, content] of entries) {
    if (tag !== DEFAULT_CONTENT && !LANGUAGE.test(tag)) {
      return fault(`must have language tags such as de or pt-br, or ${DEFAULT_CONTENT}`);
    }
    if (Object.hasOwn(contents, tag)) return fault(`names the language ${tag} twice`);
    const problem = findContentFault(content);
    if (problem !== null) return fault(`has in ${tag} ${problem}`);
    contents[tag] = content as MailContent;
  }
  return { value: contents };
}

function findContentFault(content: unknown): string | null {
  if (!isObject(content) || !Object.keys(content).every((key) => key === 'subject' || key === 'body')) {
    return 'something other than an object with subject and body';
  }
  if (!Object.values(content).every((one) => typeof one === 'string' && one.trim() !== '')) {
    return 'a subject or a body that is no text, or empty; leave it out for the built-in one';
  }
  const { subject, body } = content as MailContent;
  if (subject !== undefined && /[\0\r\n]/.test(subject)) return 'a subject of more than one line';
  if (body !== undefined && Buffer.byteLength(body) > MAX_BODY_BYTES)
    return `a body of more than ${MAX_BODY_BYTES} bytes`;
  return findTemplateFault('subject', subject, 'text') ?? findTemplateFault('body', body, 'html');
}

function findTemplateFault(part: string, template: string | undefined, form: 'html' | 'text'): string | null {
  if (template === undefined) return null;
  try {
    compileTemplate(template, form);
    return null;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return `a ${part} that does not work: ${error.message}`;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * @param data user_metadata, whose `locale` or `language` says the language
 * @returns subject and body for the user, as far as there are own ones
 */
export function chooseContent(contents: MailContents, data: Readonly<Record<string, unknown>> | null): MailContent {
  const tags = [data?.['locale'], data?.['language']]
    .filter((tag) => typeof tag === 'string')
    .map((tag) => tag.toLowerCase().replaceAll('_', '-'));
  const found = tags.flatMap((tag) => [tag, tag.split('-', 1)[0]!]).find((tag) => Object.hasOwn(contents, tag));
  return { ...own(contents, DEFAULT_CONTENT), ...(found !== undefined && own(contents, found)) };
}

const own = (contents: MailContents, tag: string): MailContent => (Object.hasOwn(contents, tag) ? contents[tag]! : {});
