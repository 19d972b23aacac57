import { compileTemplate, TemplateError } from '../../go-template/index.js';
import type { Config } from '../config/settings.js';
import { isNoticeKind, noticeTextOf } from '../message-kinds.js';
import { variablesOfNotice } from '../outbox/notice-variables.js';
import type { Log } from '../telemetry/log.js';
import type { TextMessage } from './contract.js';
import { renderText } from './text.js';

/** Four parts of a long text: values such as a name could make it any length. */
const MAX_NOTICE_LENGTH = 600;

/** @returns the text of a message: SMS_TEMPLATE with its code, or the operator's template of its notice */
export function composeText(config: Config, log: Pick<Log, 'warn'>, message: TextMessage): string {
  const { kind, notice } = message;
  if (notice === undefined || !isNoticeKind(kind)) return renderText(config.smsTemplate, message.code);
  const values = { SiteURL: config.siteUrl, Data: message.data, ...variablesOfNotice(notice) };
  const render = (template: string) => tidy(compileTemplate(template, 'text').render(values));
  try {
    const text = render(config.texts[kind].template);
    if (text !== '') return text;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const fields = { component: 'sms', purpose: kind, error: error.message };
    log.warn(fields, 'The template of a text does not work: the built-in one is used');
  }
  return render(noticeTextOf(kind));
}

const tidy = (text: string): string =>
  text
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]+/g, ' ')
    .trim()
    .slice(0, MAX_NOTICE_LENGTH);
