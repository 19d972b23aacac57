/** Entries of the audit log as rows, and one of them in full. */
import { useState } from 'preact/hooks';
import { Copy, Details } from '../../parts/details.js';
import { Dialog } from '../../parts/dialog.js';
import { type Column, List } from '../../parts/list.js';
import { Time } from '../../parts/time.js';

export interface Entry {
  readonly id: string;
  readonly created_at: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Empty where the entry is not of a request. */
  readonly ip_address: string;
}

export interface EntryPage {
  readonly entries: readonly Entry[];
  readonly next_cursor: string | null;
  readonly searched_until?: string | null;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NIL = '00000000-0000-0000-0000-000000000000';
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const traitsOf = ({ payload }: Entry): Readonly<Record<string, unknown>> =>
  typeof payload['traits'] === 'object' && payload['traits'] !== null
    ? (payload['traits'] as Readonly<Record<string, unknown>>)
    : {};

/** Who did it: an operator has its name in the same place as a user. */
function actorOf(entry: Entry): string {
  return textOf(entry.payload['actor_username']) || textOf(entry.payload['actor_id']) || '–';
}

/** Whose account it concerns; null: nobody else's than the actor's. */
function subjectOf(entry: Entry): { readonly id: string; readonly name: string } | null {
  const traits = traitsOf(entry);
  const actorId = textOf(entry.payload['actor_id']);
  const isOperator = traits['operator'] !== undefined;
  const id = textOf(traits['user_id']) || (isOperator || actorId === NIL ? '' : actorId);
  if (!UUID.test(id)) return null;
  const name = textOf(traits['user_email']) || textOf(traits['user_phone']);
  return { id, name: name || (id === actorId ? textOf(entry.payload['actor_username']) : '') || id };
}

const columns = (show: (entry: Entry) => void): readonly Column<Entry>[] => [
  {
    title: 'Action',
    cell: (entry) => (
      <button type="button" class="link mono" onClick={() => show(entry)}>
        {textOf(entry.payload['action'])}
      </button>
    ),
  },
  {
    title: 'Account',
    cell: (entry) => {
      const subject = subjectOf(entry);
      return subject === null ? '–' : <a href={`/users/${subject.id}`}>{subject.name}</a>;
    },
  },
  { title: 'By', from: 'medium', cell: actorOf },
  { title: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
];

export function Entries({ label, entries }: { readonly label: string; readonly entries: readonly Entry[] }) {
  const [shown, setShown] = useState<Entry | null>(null);
  return (
    <>
      <List label={label} rows={entries} columns={columns(setShown)} keyOf={({ id }) => id} />
      {shown !== null && <WholeEntry entry={shown} onClose={() => setShown(null)} />}
    </>
  );
}

/** When the token of an operator who acts for a user ends, unless its session is ended before; null: no such entry. */
function endOf(entry: Entry): string | null {
  const seconds = traitsOf(entry)['expires_in'];
  if (entry.payload['action'] !== 'user_impersonated' || typeof seconds !== 'number') return null;
  return new Date(Date.parse(entry.created_at) + seconds * 1000).toISOString();
}

/** A link to the organization that it concerns, which may be deleted. */
function organizationOf({ organization_id: id }: Readonly<Record<string, unknown>>) {
  return typeof id === 'string' && UUID.test(id) && <a href={`/orgs/${id}`}>{id}</a>;
}

function WholeEntry({ entry, onClose }: { readonly entry: Entry; readonly onClose: () => void }) {
  const traits = traitsOf(entry);
  return (
    <Dialog title={textOf(entry.payload['action'])} onClose={onClose} isWide>
      <Details
        rows={[
          ['When', <Time at={entry.created_at} isExact />],
          ['By', actorOf(entry)],
          ['Organization', organizationOf(traits)],
          ['Ends', endOf(entry) && <Time at={endOf(entry)} isExact />],
          ['Reason', textOf(traits['reason'])],
          [
            'Request',
            textOf(traits['request_id']) && <Copy text={textOf(traits['request_id'])} what="the request id" />,
          ],
          ['Address', entry.ip_address],
        ]}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard. */}
      <section tabIndex={0} class="scrolls" aria-label="The entry as it is stored">
        <pre>{JSON.stringify(entry.payload, null, 2)}</pre>
      </section>
      <div class="actions">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
