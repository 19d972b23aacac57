/** Refused requests of a week: by the number that a user reads out, by user, code and time. */
import { pathWith } from '../core/api.js';
import { navigate, place } from '../core/location.js';
import { linkToRefusal, type RefusalPage } from '../core/refusal.js';
import { useResource } from '../core/resource.js';
import { type FilterField, Filters } from '../parts/filters.js';
import { Heading } from '../parts/heading.js';
import { List, Pager } from '../parts/list.js';
import { Empty, View } from '../parts/view.js';
import { NotRecording, refusalColumns } from './requests/columns.js';

const filterFields: readonly FilterField[] = [
  { name: 'user', label: 'User id', kind: 'text' },
  { name: 'code', label: 'error_code', kind: 'text' },
  { name: 'from', label: 'From', kind: 'date' },
  { name: 'before', label: 'Before', kind: 'date' },
];

export function Page() {
  const { query } = place.value;
  const names = filterFields.map(({ name }) => name);
  const given = Object.fromEntries([...names, 'cursor'].map((name) => [name, query.get(name)]));
  const page = useResource<RefusalPage>(pathWith('/api/requests', given));
  const isFiltered = names.some((name) => query.has(name));
  return (
    <>
      <Heading title="Requests" about="Refused requests of the last seven days, and why each was refused." />
      <ById />
      <Filters fields={filterFields} />
      <View of={page} rows={12}>
        {({ refusals, next_cursor, is_recording }) => (
          <>
            {!is_recording && <NotRecording />}
            {refusals.length === 0 ? (
              <NoRefusals isFiltered={isFiltered} />
            ) : (
              <List label="Refused requests" rows={refusals} columns={refusalColumns} keyOf={({ id }) => id} />
            )}
            <Pager next={next_cursor} />
          </>
        )}
      </View>
    </>
  );
}

/** The number that a user reads out leads to its explanation. */
function ById() {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const given = String(new FormData(event.currentTarget as HTMLFormElement).get('request_id')).trim();
    if (given !== '') navigate(linkToRefusal({ request_id: given }));
  };
  return (
    <form class="filters" onSubmit={submit}>
      <label class="field search">
        <span>Request id, or the error_id that a user reads out</span>
        <input
          name="request_id"
          placeholder="3f1c… as on the error page or in the log"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          maxLength={128}
          data-search
          required
        />
      </label>
      <button type="submit">Explain</button>
    </form>
  );
}

const NoRefusals = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No refusal matches">
      <p>They are kept for seven days. An error_code is written as in the answer, such as invalid_credentials.</p>
    </Empty>
  ) : (
    <Empty title="Nothing was refused in the last seven days">
      <p>A wrong password or a bad token would appear here about a second after its answer.</p>
    </Empty>
  );
