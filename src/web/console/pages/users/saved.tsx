/** Filters that operators have given a name: own ones, and those that administrators share. */
import { useState } from 'preact/hooks';
import { send } from '../../core/api.js';
import { place, setQuery } from '../../core/location.js';
import { useResource } from '../../core/resource.js';
import { may, toast } from '../../core/state.js';
import { DeedDialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { filterNames } from './filters.js';

interface SavedFilter {
  readonly id: string;
  readonly name: string;
  readonly query: Readonly<Record<string, string>>;
  readonly is_shared: boolean;
  readonly is_own: boolean;
  readonly operator_name: string;
}

const nothing = Object.fromEntries([...filterNames, 'cursor'].map((name) => [name, null]));

export function SavedFilters() {
  const answer = useResource<{ readonly filters: readonly SavedFilter[] }>('/api/saved-filters');
  const [isSaving, setSaving] = useState(false);
  const [deleted, setDeleted] = useState<SavedFilter | null>(null);
  const { query } = place.value;
  const given = filterNames.flatMap((name) => (query.has(name) ? [[name, query.get(name)!] as const] : []));
  const filters = answer.data?.filters ?? [];
  const current = filters.find(
    (one) => Object.keys(one.query).length === given.length && given.every(([name, text]) => one.query[name] === text),
  );
  if (filters.length === 0 && given.length === 0) return null;
  return (
    <div class="actions saved-filters">
      {filters.length > 0 && (
        <select
          aria-label="Saved filters"
          value={current?.id ?? ''}
          onChange={(event) => {
            const chosen = filters.find(({ id }) => id === event.currentTarget.value);
            setQuery({ ...nothing, ...chosen?.query });
          }}
        >
          <option value="">Saved filters</option>
          {filters.map(({ id, name, is_own, operator_name }) => (
            <option key={id} value={id}>
              {is_own ? name : `${name} (${operator_name})`}
            </option>
          ))}
        </select>
      )}
      {given.length > 0 && current === undefined && (
        <button type="button" class="plain" onClick={() => setSaving(true)}>
          Save filter
        </button>
      )}
      {current !== undefined && (current.is_own || may('admin')) && (
        <button type="button" class="plain" onClick={() => setDeleted(current)}>
          Delete filter
        </button>
      )}
      {isSaving && (
        <DeedDialog
          title="Save the filter"
          verb="Save"
          hasReason={false}
          onClose={() => setSaving(false)}
          run={async ({ form }) => {
            const name = String(form.get('name') ?? '');
            const body = { name, query: Object.fromEntries(given), is_shared: form.has('is_shared') };
            await send('POST', '/api/saved-filters', { body });
            toast('Saved');
            await answer.reload();
          }}
        >
          <Field label="Name of the filter" name="name" maxLength={64} autocomplete="off" required />
          {may('admin') && (
            <label class="check">
              <input type="checkbox" name="is_shared" />
              <span>All operators see it</span>
            </label>
          )}
        </DeedDialog>
      )}
      {deleted !== null && (
        <DeedDialog
          title={`Delete the filter ${deleted.name}?`}
          verb="Delete"
          isDanger
          hasReason={false}
          onClose={() => setDeleted(null)}
          run={async () => {
            await send('DELETE', `/api/saved-filters/${deleted.id}`);
            toast('Deleted');
            await answer.reload();
          }}
        >
          <p>{deleted.is_shared ? 'No operator has it any more.' : 'The list stays as it is.'}</p>
        </DeedDialog>
      )}
    </div>
  );
}
