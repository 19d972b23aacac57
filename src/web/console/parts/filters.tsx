/** A bar of filters whose state is the query of the address, so that Back, reload and a sent link keep it. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { focusPage } from '../core/focus.js';
import { place, setQuery } from '../core/location.js';

interface FilterBase {
  /** The parameter of the address. */
  readonly name: string;
  readonly label: string;
  /** Shown on demand, and while it is set. */
  readonly isRare?: true;
}

export type FilterField = FilterBase &
  (
    | { readonly kind: 'search'; readonly hint: string }
    | { readonly kind: 'text' | 'date' }
    | {
        readonly kind: 'choice';
        readonly choices: readonly { readonly value: string; readonly label: string }[];
        readonly none?: string;
      }
  );

const SEARCH_DELAY_MS = 250;

function change(name: string, value: string, isReplaced = false): void {
  if ((place.peek().query.get(name) ?? '') !== value) setQuery({ [name]: value, cursor: null }, isReplaced);
}

export function Filters({ fields }: { readonly fields: readonly FilterField[] }) {
  const { query } = place.value;
  const [isOpen, setOpen] = useState(false);
  const set = fields.filter(({ name }) => query.has(name));
  const shown = fields.filter(({ name, isRare }) => isOpen || !isRare || query.has(name));
  return (
    <search>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          // What is typed has been applied; `j` now goes to the first row.
          focusPage();
        }}
      >
        {shown.map((field) => (
          <div key={field.name} class={`field ${field.kind}`}>
            <label for={`filter-${field.name}`}>{field.label}</label>
            {field.kind === 'choice' ? (
              <select
                id={`filter-${field.name}`}
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
              <FilterInput field={field} value={shownOf(field, query.get(field.name))} />
            )}
          </div>
        ))}
        {shown.length < fields.length && (
          <button type="button" class="plain" onClick={() => setOpen(true)}>
            More filters
          </button>
        )}
        {set.length > 0 && (
          <button
            type="button"
            class="plain"
            onClick={() =>
              setQuery(Object.fromEntries(['cursor', ...set.map(({ name }) => name)].map((name) => [name, null])))
            }
          >
            Clear
          </button>
        )}
      </form>
    </search>
  );
}

/** What is typed is kept here until it becomes part of the address. */
function FilterInput({ field, value }: { readonly field: FilterField; readonly value: string }) {
  const { name, kind } = field;
  const [text, setText] = useState(value);
  const timer = useRef(0);
  /** What the address has of this field, as far as it knows. */
  const applied = useRef(value);
  // Its own text, which may have gone on since, is not read back from the address.
  useLayoutEffect(() => {
    if (value === applied.current) return;
    clearTimeout(timer.current);
    applied.current = value;
    setText(value);
  }, [value]);
  useLayoutEffect(() => () => clearTimeout(timer.current), []);
  const apply = (given: string, isReplaced = false) => {
    clearTimeout(timer.current);
    const stored = storedOf(field, given);
    applied.current = shownOf(field, stored);
    change(name, stored, isReplaced);
  };
  const type = (given: string) => {
    setText(given);
    if (kind === 'date') return;
    clearTimeout(timer.current);
    // Letters of one word are no steps of the history.
    timer.current = setTimeout(() => apply(given, place.peek().query.has(name)), SEARCH_DELAY_MS);
  };
  return (
    <input
      id={`filter-${name}`}
      {...({ type: kind } as { type: 'text' })}
      value={text}
      placeholder={field.kind === 'search' ? field.hint : undefined}
      autocomplete="off"
      autocapitalize="off"
      spellcheck={false}
      data-search={kind === 'search' || undefined}
      onInput={(event) => type(event.currentTarget.value)}
      onChange={(event) => {
        apply(event.currentTarget.value);
        setText(applied.current);
      }}
    />
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
