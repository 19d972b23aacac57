import { place } from '../../core/location.js';
import { useResource } from '../../core/resource.js';
import { isLocked, type ListedSetting, linkToForm, sayPlace } from '../../core/setting.js';
import { Badge } from '../../parts/details.js';
import { type FilterField, Filters } from '../../parts/filters.js';
import { type Column, List } from '../../parts/list.js';
import { Empty, View } from '../../parts/view.js';
import { FaultList, type SettingFault } from './fault-list.js';
import { sayValue } from './value.js';

interface Settings {
  readonly generation: number;
  readonly version: string;
  readonly settings: readonly ListedSetting[];
  readonly faults: readonly SettingFault[];
  readonly notices: readonly { readonly variable: string; readonly message: string }[];
}

const shown = [
  { value: 'all', label: 'All settings' },
  { value: 'stored', label: 'Set in the console' },
  { value: 'pending', label: 'Waiting for a reload or restart' },
];

export function SettingsList() {
  const settings = useResource<Settings>('/api/settings');
  const { query } = place.value;
  const [words, section, which] = [query.get('q') ?? '', query.get('section'), query.get('show')];
  const isShown = ({ is_set, stored, pending }: ListedSetting): boolean => {
    if (which === 'pending') return pending !== null;
    return which === 'stored' ? stored : which === 'all' || is_set || words !== '';
  };
  const matches = (setting: ListedSetting): boolean =>
    (section === null || setting.section === section) &&
    `${setting.name} ${setting.doc}`.toLowerCase().includes(words.toLowerCase()) &&
    isShown(setting);
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

const fieldsOf = (settings: readonly ListedSetting[]): readonly FilterField[] => {
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

const columns: readonly Column<ListedSetting>[] = [
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
  { title: 'Changed', from: 'wide', cell: (setting) => <Changed setting={setting} /> },
];

/** Where it can be changed, and when that takes effect. */
function Changed({ setting }: { readonly setting: ListedSetting }) {
  const href = setting.storable ? linkToForm(setting) : null;
  if (setting.needs_restart) return <>there, with a restart</>;
  if (href === null) return <>there, with a reload</>;
  return isLocked(setting) ? <a href={href}>locked</a> : <a href={href}>in the console</a>;
}

const sayOrigin = (source: NonNullable<ListedSetting['source']>): string =>
  source.origin === 'fallback' ? 'filled in by the command' : sayPlace(source);
