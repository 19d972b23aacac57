/** Mails and texts with the data of an example, composed by the code that composes those that are sent. */
import { useState } from 'preact/hooks';
import { pathWith } from '../../core/api.js';
import { place, setQuery } from '../../core/location.js';
import { useResource } from '../../core/resource.js';
import { Note } from '../../parts/alert.js';
import { Badge } from '../../parts/details.js';
import { SettingsForm } from '../../parts/settings-form.js';
import { View } from '../../parts/view.js';
import type { ShownTemplate } from './shown-template.js';
import { Words } from './words.js';

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

export function Templates() {
  const { query } = place.value;
  const [data, setData] = useState('');
  const page = useResource<TemplatesPage>(pathWith('/api/mail/templates', { data }));
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setData(String(new FormData(event.currentTarget as HTMLFormElement).get('data')).trim());
  };
  return (
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
              <SettingsForm
                form="mail"
                title="Mail"
                show={({ settings, stored_version: version }) => {
                  const setting = settings.find(({ name }) => name === nameOfWords(chosen.kind));
                  if (setting === undefined) return null;
                  return <Words key={chosen.kind} {...{ setting, version, data }} template={chosen} />;
                }}
              />
              <details class="small">
                <summary>The example</summary>
                <form class="filters" onSubmit={submit}>
                  <label class="field search">
                    <span>
                      More user_metadata <small>JSON</small>
                    </span>
                    <input
                      name="data"
                      defaultValue={data}
                      placeholder='{"plan": "pro"}'
                      autocomplete="off"
                      spellcheck={false}
                    />
                  </label>
                  <button type="submit" class="plain">
                    Apply
                  </button>
                </form>
              </details>
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
  );
}

const nameOfWords = (kind: string): string => `AUTH_MAILER_CONTENTS_${kind.toUpperCase()}`;
