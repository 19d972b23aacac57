/** What is counted for a person or a client, by its address: the list shows hashes only. */
import { useEffect, useState } from 'preact/hooks';
import { type ApiFault, asFault, isAbort, send } from '../../core/api.js';
import { place, setQuery } from '../../core/location.js';
import { Alert } from '../../parts/alert.js';
import { List } from '../../parts/list.js';
import { Empty } from '../../parts/view.js';
import { counterColumns, type ShownCounter, type ShownLimit } from './limit-columns.js';

interface PersonProps {
  readonly limits: readonly ShownLimit[];
  readonly forgive: (counter: ShownCounter) => void;
  /** How many were forgiven: then it asks again. */
  readonly changes: number;
}

interface Found {
  readonly user_id: string | null;
  readonly counters: readonly ShownCounter[];
}

export function Person({ limits, forgive, changes }: PersonProps) {
  const who = place.value.query.get('who') ?? '';
  const [found, setFound] = useState<Found | null>(null);
  const [fault, setFault] = useState<ApiFault | null>(null);
  useEffect(() => {
    setFault(null);
    if (who === '') return setFound(null);
    const abort = new AbortController();
    send<Found>('POST', '/api/limits/of', { body: { who }, signal: abort.signal }).then(
      ({ data }) => setFound(data),
      (error: unknown) => {
        if (!isAbort(error)) setFault(asFault(error));
      },
    );
    return () => abort.abort();
  }, [who, changes]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setQuery({ who: String(form.get('who')).trim() });
  };
  return (
    <section>
      <h2>One person or client</h2>
      <form class="filters" onSubmit={submit}>
        <label class="field search">
          <span>Email, number or id of a user, name of an operator, or address of a client</span>
          <input
            name="who"
            key={who}
            defaultValue={who}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            data-search
          />
        </label>
        <button type="submit">Look up</button>
      </form>
      {fault !== null && <Alert fault={fault} />}
      <div aria-live="polite">
        {found !== null && (
          <>
            {found.user_id !== null && (
              <p>
                <a href={`/users/${found.user_id}`}>The account</a>
              </p>
            )}
            {found.counters.length === 0 ? (
              <Empty title="Nothing is counted">
                <p>Neither a limit nor a delay holds back {who}.</p>
              </Empty>
            ) : (
              <List
                label={`Counters of ${who}`}
                rows={found.counters}
                columns={counterColumns(limits, forgive)}
                keyOf={({ name, key }) => `${name} ${key}`}
              />
            )}
          </>
        )}
      </div>
    </section>
  );
}
