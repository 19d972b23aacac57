/** Templates that are settings themselves: subjects, and the texts of notices. */
import { compileTemplate, TemplateError } from '../../go-template/index.js';
import { mailKinds, noticeKinds } from '../message-kinds.js';
import type { Notice } from './faults.js';
import type { Config } from './settings.js';

/** Texts that were compiled without a fault: each reading of the configuration asks for the same ones, most of them built in. */
const sound = new Set<string>();
/** Operators try other texts in the console, any number of them. */
const MOST_REMEMBERED = 200;

/** @returns those that do not work, with the construct and what to write instead; the built-in ones take their place */
export function findTemplateNotices(
  { mails, texts }: Pick<Config, 'mails' | 'texts'>,
  nameOf: (...path: string[]) => string,
): Notice[] {
  const found: Notice[] = [];
  const check = (variable: string, template: string): void => {
    if (sound.has(template)) return;
    try {
      compileTemplate(template, 'text');
      if (sound.size < MOST_REMEMBERED) sound.add(template);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      const message = `${variable} does not work, so the built-in one is used: ${error.message}.`;
      found.push({ variable, message });
    }
  };
  for (const kind of mailKinds) check(nameOf('mails', kind, 'subject'), mails[kind].subject);
  for (const kind of noticeKinds) check(nameOf('texts', kind, 'template'), texts[kind].template);
  return found;
}
