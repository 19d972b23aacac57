/** Every check of the command line as a button. */
import { useState } from 'preact/hooks';
import { useResource } from '../../core/resource.js';
import { CheckRunner, type ShownCheck } from '../../parts/check-run.js';
import { View } from '../../parts/view.js';

interface Check {
  readonly name: string;
  readonly summary: string;
  readonly help: string;
  readonly argument: 'none' | 'url' | 'provider' | 'hook' | 'mail' | 'sso';
  readonly choices: readonly string[] | null;
  readonly runs: readonly ShownCheck[];
}

export function Checks() {
  const checks = useResource<{ readonly checks: readonly Check[] }>('/api/checks');
  return (
    <View of={checks} rows={10}>
      {({ checks: all }) => (
        <>
          <p class="muted">
            They are the checks of <code>latchkey check</code>, run by the process that answers, with the configuration
            that a start would read now. Each ends within a minute.
          </p>
          {all.map((check) => (
            <CheckCard key={check.name} check={check} />
          ))}
        </>
      )}
    </View>
  );
}

const labels = { url: 'redirect_to', provider: 'Provider', hook: 'Hook', mail: 'Mail', sso: 'Company' } as const;
const nothing = {
  provider: 'No provider is on.',
  hook: 'No hook is set.',
  url: '',
  mail: '',
  sso: 'No company has been added.',
} as const;

function CheckCard({ check: { name, summary, help, argument, choices, runs } }: { readonly check: Check }) {
  const [given, setGiven] = useState(choices?.[0] ?? '');
  const last = runs.find((run) => run.argument === given);
  const isPossible = argument === 'none' || choices === null || choices.length > 0;
  return (
    <section class="card">
      <h2>
        <code>{name}</code> {summary}
      </h2>
      <details>
        <summary>What it does</summary>
        <p class="small">{help}</p>
      </details>
      {argument !== 'none' && isPossible && (
        <div class="field">
          <label for={`check-${name}`}>{labels[argument]}</label>
          {choices === null ? (
            <input
              id={`check-${name}`}
              value={given}
              onInput={(event) => setGiven(event.currentTarget.value)}
              autocomplete="off"
              spellcheck={false}
            />
          ) : (
            <select id={`check-${name}`} value={given} onChange={(event) => setGiven(event.currentTarget.value)}>
              {choices.map((choice) => (
                <option key={choice} value={choice}>
                  {choice === '' ? 'a plain test mail to me' : choice.replaceAll('_', ' ')}
                </option>
              ))}
            </select>
          )}
        </div>
      )}
      {isPossible ? (
        <CheckRunner key={given} name={name} argument={given} verb={`Run check ${name}`} last={last} />
      ) : (
        <p class="small muted">{nothing[argument as keyof typeof nothing]}</p>
      )}
    </section>
  );
}
