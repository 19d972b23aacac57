/** The words of one kind of mail: languages, subject and body beside what they look like. */
import { useRef, useState } from 'preact/hooks';
import { changeSetting, changes, undoChange } from '../../core/draft.js';
import { changesOf, usePreview } from '../../core/draft-preview.js';
import { useResource } from '../../core/resource.js';
import { isLocked, type ListedSetting, mayChange, sayPlace } from '../../core/setting.js';
import { Note } from '../../parts/alert.js';
import { Badge } from '../../parts/details.js';
import { TestMail } from '../../parts/test-mail.js';
import { DEFAULT, putContent, readContents, writeContents } from './contents.js';
import { Languages } from './languages.js';
import { type ShownMail, ShownPreview } from './shown-preview.js';
import type { ShownTemplate } from './shown-template.js';
import { Variables } from './variables.js';

interface Guide {
  readonly variables: readonly { readonly name: string; readonly about: string; readonly example: string | null }[];
  readonly built_in: { readonly subject: string; readonly body: string };
}

interface WordsProps {
  readonly template: ShownTemplate;
  readonly setting: ListedSetting;
  readonly version: number;
  /** More user_metadata of the example, as JSON. */
  readonly data: string;
}

/** What decides how a mail looks. */
const isOfMails = (name: string): boolean => /^AUTH_(MAILER|PAGES)_|SITE_URL$/.test(name) && name !== 'AUTH_PAGES_LOGO';

export function Words({ template, setting, version, data }: WordsProps) {
  const { kind } = template;
  const change = changes.value[setting.name];
  const text = change === undefined ? setting.text : change.text;
  const contents = readContents(text);
  const [language, setLanguage] = useState(DEFAULT);
  const [scheme, setScheme] = useState<'light' | 'dark'>('light');
  const body = useRef<HTMLTextAreaElement>(null);
  const isOff = isLocked(setting) || !mayChange(setting);
  const own = contents[language] ?? {};
  const fields = { kind, data, scheme, ...(language !== DEFAULT && { language }) };
  const preview = usePreview<ShownMail>(
    { path: `/api/mail/templates/${kind}`, draftPath: '/api/mail/preview', fields },
    changesOf(isOfMails),
    version,
  );
  const guide = useResource<Guide>(`/api/mail/templates/${kind}`).data;
  const put = (next: typeof contents) => {
    const written = writeContents(next);
    if (written === setting.text) undoChange(setting.name);
    else changeSetting(setting, version, written);
  };
  const write = (part: { subject?: string; body?: string }) => put(putContent(contents, language, { ...own, ...part }));
  const insert = (variable: string) => {
    const area = body.current!;
    area.setRangeText(`{{ .${variable} }}`, area.selectionStart, area.selectionEnd, 'end');
    write({ body: area.value });
    area.focus();
  };
  return (
    <div class="words">
      <div class="stack">
        <Languages contents={contents} chosen={language} choose={setLanguage} mayAdd={!isOff} />
        {isLocked(setting) && (
          <Note>
            <p>
              These words are set in {sayPlace(setting.source!)}. To change them here, run{' '}
              <code>latchkey config import --only {setting.name}</code> on the server and then remove them there.
            </p>
          </Note>
        )}
        <label class="field">
          <span>Subject</span>
          <input
            value={own.subject ?? ''}
            placeholder={language === DEFAULT ? template.subject : (contents[DEFAULT]?.subject ?? template.subject)}
            disabled={isOff}
            autocomplete="off"
            onInput={(event) => write({ subject: event.currentTarget.value })}
          />
        </label>
        <label class="field">
          <span>
            Body <small>HTML; empty: {sayFallback(contents, language)}</small>
          </span>
          <textarea
            ref={body}
            rows={16}
            value={own.body ?? ''}
            disabled={isOff}
            autocapitalize="off"
            spellcheck={false}
            onInput={(event) => write({ body: event.currentTarget.value })}
          />
        </label>
        {guide !== undefined && !isOff && (
          <>
            <p class="deeds">
              {own.body === undefined && (
                <button type="button" class="plain small" onClick={() => write(guide.built_in)}>
                  Begin with the built-in words
                </button>
              )}
              {contents[language] !== undefined && (
                <button type="button" class="plain small" onClick={() => put(putContent(contents, language, {}))}>
                  Back to the built-in words
                </button>
              )}
              {change !== undefined && (
                <>
                  <Badge tone="warn">changed</Badge>
                  <button type="button" class="link small" onClick={() => undoChange(setting.name)}>
                    Undo
                  </button>
                </>
              )}
            </p>
            <Variables variables={guide.variables} insert={insert} />
          </>
        )}
      </div>
      <div class="shown">
        <ShownPreview of={preview} scheme={scheme} setScheme={setScheme} template={template} />
        <TestMail kind={kind} language={language === DEFAULT ? '' : language} />
      </div>
    </div>
  );
}

const sayFallback = (contents: ReturnType<typeof readContents>, language: string): string =>
  language !== DEFAULT && contents[DEFAULT]?.body !== undefined ? 'that of every language' : 'the built-in one';
