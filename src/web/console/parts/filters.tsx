/** A bar of filters whose state is the query of the address, so that Back, reload and a sent link keep it. */
import { useEffect, useRef } from 'preact/hooks';
import { place, setQuery } from '../core/location.js';

interface Choice {
  readonly value: string;
  readonly label: string;
}

export type FilterField =
  | { readonly name: string; readonly label: string; readonly kind: 'search'; readonly hint: string }
  | { readonly name: string; readonly label: string; readonly kind: 'text' | 'date' }
  | {
      readonly name: string;
      readonly label: string;
      readonly kind: 'choice';
      readonly choices: readonly Choice[];
      readonly none?: string;
    };

const SEARCH_DELAY_MS = 250;

export function Filters({ fields }: { readonly fields: readonly FilterField[] }) {
  const { query } = place.value;
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  const isSet = fields.some(({ name }) => query.has(name));
  const change = (name: string, value: string, isReplaced = false) => {
    clearTimeout(timer.current);
    if ((place.peek().query.get(name) ?? '') !== value) setQuery({ [name]: value, cursor: null }, isReplaced);
  };
  const changeSoon = (name: string, value: string) => {
    clearTimeout(timer.current);
    // Letters of one word are no steps of the history.
    timer.current = setTimeout(() => change(name, value, place.peek().query.has(name)), SEARCH_DELAY_MS);
  };
  return (
    <search>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          for (const { name, kind } of fields) if (kind === 'search') change(name, String(form.get(name)).trim());
        }}
      >
        {fields.map((field) => (
          <div key={field.name} class={`field ${field.kind}`}>
            <label for={`filter-${field.name}`}>{field.label}</label>
            {field.kind === 'choice' ? (
              <select
                id={`filter-${field.name}`}
                name={field.name}
                value={query.get(field.name) ?? ''}
                onChange={(event) => change(field.name, event.currentTarget.value)}
              >
                <option value="">{field.none ?? 'Any'}</option>
                {field.choices.map(({ value, label }) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </select>
            ) : (
              <input
                id={`filter-${field.name}`}
                name={field.name}
                {...({ type: field.kind } as { type: 'text' })}
                value={shownOf(field, query.get(field.name))}
                placeholder={field.kind === 'search' ? field.hint : undefined}
                autocomplete="off"
                autocapitalize="off"
                spellcheck={false}
                data-search={field.kind === 'search' || undefined}
                onInput={(event) => {
                  if (field.kind !== 'date') changeSoon(field.name, event.currentTarget.value.trim());
                }}
                onChange={(event) => change(field.name, storedOf(field, event.currentTarget.value))}
              />
            )}
          </div>
        ))}
        {isSet && (
          <button
            type="button"
            class="plain"
            onClick={() => setQuery(Object.fromEntries([...fields.map(({ name }) => [name, null]), ['cursor', null]]))}
          >
            Clear
          </button>
        )}
      </form>
    </search>
  );
}

/** Days are kept as times, from midnight where the operator is. */
function storedOf({ kind }: FilterField, value: string): string {
  if (kind !== 'date') return value.trim();
  return value === '' ? '' : new Date(`${value}T00:00`).toISOString();
}

function shownOf({ kind }: FilterField, value: string | null): string {
  if (kind !== 'date' || value === null) return value ?? '';
  const time = new Date(value);
  if (Number.isNaN(time.getTime())) return '';
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}
