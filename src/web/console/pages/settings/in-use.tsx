import { place } from '../../core/location.js';
import { useResource } from '../../core/resource.js';
import { Badge } from '../../parts/details.js';
import { type FilterField, Filters } from '../../parts/filters.js';
import { type Column, List } from '../../parts/list.js';
import { Empty, View } from '../../parts/view.js';
import { FaultList, type SettingFault } from './fault-list.js';
import { sayValue } from './value.js';

interface Setting {
  readonly name: string;
  readonly section: string;
  readonly doc: string;
  readonly default: string | null;
  readonly example: string;
  readonly is_secret: boolean;
  readonly needs_restart: boolean;
  readonly is_set: boolean;
  readonly value?: unknown;
  readonly fingerprint?: string;
  readonly source: { readonly origin: string; readonly name: string; readonly label: string } | null;
  readonly pending: 'reload' | 'restart' | null;
}

interface Settings {
  readonly generation: number;
  readonly version: string;
  readonly settings: readonly Setting[];
  readonly faults: readonly SettingFault[];
  readonly notices: readonly { readonly variable: string; readonly message: string }[];
}

const shown = [
  { value: 'all', label: 'All settings' },
  { value: 'pending', label: 'Waiting for a reload or restart' },
];

export function SettingsList() {
  const settings = useResource<Settings>('/api/settings');
  const { query } = place.value;
  const [words, section, which] = [query.get('q') ?? '', query.get('section'), query.get('show')];
  const matches = ({ name, doc, section: own, is_set, pending }: Setting): boolean =>
    (section === null || own === section) &&
    `${name} ${doc}`.toLowerCase().includes(words.toLowerCase()) &&
    (which === 'all' || (which === 'pending' ? pending !== null : is_set || words !== ''));
  return (
    <View of={settings} rows={12}>
      {(data) => {
        const rows = data.settings.filter(matches);
        return (
          <>
            <Faults of={data} />
            <Filters fields={fieldsOf(data.settings)} />
            <p class="small muted" role="status">
              {rows.length} of {data.settings.length} settings. Version {data.version}, configuration {data.generation}{' '}
              of this process.
            </p>
            {rows.length === 0 ? (
              <Empty title="No setting matches" />
            ) : (
              <List label="Settings" rows={rows} columns={columns} keyOf={({ name }) => name} />
            )}
          </>
        );
      }}
    </View>
  );
}

const fieldsOf = (settings: readonly Setting[]): readonly FilterField[] => {
  const sections = [...new Set(settings.map(({ section }) => section))];
  return [
    { name: 'q', label: 'Search', kind: 'search', hint: 'Part of a name or of its meaning' },
    { name: 'section', label: 'Section', kind: 'choice', choices: sections.map((one) => ({ value: one, label: one })) },
    { name: 'show', label: 'Show', kind: 'choice', none: 'Set by you', choices: shown },
  ];
};

function Faults({ of: { faults, notices } }: { readonly of: Settings }) {
  return (
    <>
      <FaultList faults={faults}>
        A start or a reload would fail by now; this process goes on with what it has:
      </FaultList>
      {notices.length > 0 && (
        <details>
          <summary>{notices.length} notices</summary>
          <ul>
            {notices.map(({ message }) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

const columns: readonly Column<Setting>[] = [
  {
    title: 'Setting',
    cell: ({ name, doc }) => (
      <>
        <code class="break">{name}</code>
        <p class="small muted">{doc}</p>
      </>
    ),
  },
  {
    title: 'Value',
    cell: ({ is_secret, is_set, value, default: usual, pending }) => (
      <>
        {is_secret || value === undefined ? (
          <Badge>{is_set ? 'secret, set' : 'not set'}</Badge>
        ) : (
          <code class="break">{sayValue(value)}</code>
        )}
        {is_set && !is_secret && usual !== null && usual !== '' && (
          <p class="small muted break">
            default <code>{usual}</code>
          </p>
        )}
        {pending !== null && (
          <p>
            <Badge tone="warn">another value waits for a {pending}</Badge>
          </p>
        )}
      </>
    ),
  },
  {
    title: 'From',
    from: 'medium',
    cell: ({ name, source }) =>
      source === null ? (
        <span class="muted">unknown</span>
      ) : (
        <>
          <span class={source.origin === 'default' ? 'muted' : ''}>{sayOrigin(source)}</span>
          {source.origin !== 'default' && source.name !== name && (
            <p class="small muted">
              as <code class="break">{source.name}</code>
            </p>
          )}
        </>
      ),
  },
  {
    title: 'Takes effect',
    from: 'wide',
    cell: ({ needs_restart }) => (needs_restart ? 'with a restart' : 'with a reload'),
  },
];

const sayOrigin = ({ origin, label, name }: NonNullable<Setting['source']>): string =>
  name.endsWith('_FILE') ? `a file that ${label} names` : origin === 'fallback' ? 'filled in by the command' : label;
