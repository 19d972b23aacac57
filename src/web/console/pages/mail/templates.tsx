/** Mails and texts with the data of an example, composed by the code that composes those that are sent. */
import { useState } from 'preact/hooks';
import { pathWith } from '../../core/api.js';
import { place, setQuery } from '../../core/location.js';
import { useResource } from '../../core/resource.js';
import { Note } from '../../parts/alert.js';
import { Badge } from '../../parts/details.js';
import { View } from '../../parts/view.js';
import { MailFrame } from './preview.js';
import type { ShownTemplate } from './shown-template.js';

interface TextTemplate {
  readonly kind: string;
  readonly is_sent: boolean;
  readonly text: string;
  readonly problems: readonly string[];
}

interface TemplatesPage {
  readonly mails: readonly ShownTemplate[];
  readonly texts: readonly TextTemplate[];
  readonly hook_sends_mails: boolean;
  readonly hook_sends_texts: boolean;
}

const languages = ['en', 'de', 'es', 'fr', 'pt', 'ar'] as const;

export function Templates() {
  const { query } = place.value;
  const language = query.get('language') ?? 'en';
  const [data, setData] = useState('');
  const page = useResource<TemplatesPage>(pathWith('/api/mail/templates', { language, data }));
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setData(String(new FormData(event.currentTarget as HTMLFormElement).get('data')).trim());
  };
  return (
    <>
      <form class="filters" onSubmit={submit}>
        <label class="field">
          <span>Language of the example</span>
          <select value={language} onChange={(event) => setQuery({ language: event.currentTarget.value })}>
            {languages.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
        <label class="field search">
          <span>
            More user_metadata <small>JSON</small>
          </span>
          <input name="data" defaultValue={data} placeholder='{"plan": "pro"}' autocomplete="off" spellcheck={false} />
        </label>
        <button type="submit" class="plain">
          Apply
        </button>
      </form>
      <p class="small muted">
        Built-in templates are in English. Your own choose by <code>.Data.locale</code> or <code>.Data.language</code>.
      </p>
      <View of={page}>
        {({ mails, texts, hook_sends_mails, hook_sends_texts }) => {
          const chosen = mails.find(({ kind }) => kind === query.get('kind')) ?? mails[0]!;
          return (
            <>
              <section>
                <h2>Mails</h2>
                {hook_sends_mails && (
                  <Note tone="warn">The hook send_email composes mails in place of these templates.</Note>
                )}
                <label class="field">
                  <span>Kind</span>
                  <select value={chosen.kind} onChange={(event) => setQuery({ kind: event.currentTarget.value })}>
                    {mails.map(({ kind, in_words, is_sent }) => (
                      <option key={kind} value={kind}>
                        {in_words}
                        {is_sent ? '' : ' (off)'}
                      </option>
                    ))}
                  </select>
                </label>
                <MailFrame key={chosen.kind} template={chosen} language={language} data={data} />
              </section>
              <section>
                <h2>Texts</h2>
                {hook_sends_texts && (
                  <Note tone="warn">The hook send_sms composes codes in place of these templates.</Note>
                )}
                <dl class="details">
                  {texts.map(({ kind, is_sent, text, problems }) => (
                    <div key={kind}>
                      <dt>
                        {kind.replace(/_notification$/, '').replaceAll('_', ' ')} {!is_sent && <Badge>off</Badge>}
                      </dt>
                      <dd>
                        {text}
                        {problems.map((problem) => (
                          <p key={problem} class="small">
                            <Badge tone="danger">fault</Badge> {problem}
                          </p>
                        ))}
                      </dd>
                    </div>
                  ))}
                </dl>
              </section>
            </>
          );
        }}
      </View>
    </>
  );
}
