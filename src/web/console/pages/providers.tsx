/** Identity providers: which work, what is missing, and the address to register there. */
import { useResource } from '../core/resource.js';
import { Badge, Copy } from '../parts/details.js';
import { Heading } from '../parts/heading.js';
import { type Column, List } from '../parts/list.js';
import { Empty, View } from '../parts/view.js';
import { addressOfProvider, type ShownProvider } from './provider/shown-provider.js';
import { ProviderState } from './provider/state.js';

const columns: readonly Column<ShownProvider>[] = [
  { title: 'Provider', cell: ({ name }) => <a href={addressOfProvider(name)}>{name}</a> },
  { title: 'State', cell: (provider) => <ProviderState provider={provider} /> },
  { title: 'Client', from: 'wide', cell: ({ client_id }) => client_id ?? '–' },
  {
    title: 'Callback, to register there',
    from: 'medium',
    cell: ({ name, callback_url, is_callback_usual }) => (
      <>
        <Copy text={callback_url} what={`the callback of ${name}`} />
        {!is_callback_usual && <Badge tone="warn">not where this server listens</Badge>}
      </>
    ),
  },
  {
    title: 'Set in',
    from: 'wide',
    cell: ({ settings_prefix }) => (settings_prefix === null ? 'database' : <code>{settings_prefix}…</code>),
  },
];

export function Page() {
  const list = useResource<{ readonly providers: readonly ShownProvider[] }>('/api/providers');
  return (
    <>
      <Heading title="Providers" about="Where users can sign in with an account of somebody else." />
      <View of={list} rows={12}>
        {({ providers }) => {
          const used = providers.filter(({ enabled }) => enabled);
          const off = providers.filter(({ enabled }) => !enabled);
          const keyOf = ({ name, source }: ShownProvider) => `${source} ${name}`;
          return (
            <>
              {used.length === 0 ? (
                <Empty title="No provider is on">
                  <p>
                    Register an application at one of those below with its callback, and set its client id, its secret
                    and <code>ENABLED</code>.
                  </p>
                </Empty>
              ) : (
                <List label="Providers that are on" rows={used} columns={columns} keyOf={keyOf} />
              )}
              <h2>Off</h2>
              <List label="Providers that are off" rows={off} columns={columns} keyOf={keyOf} />
            </>
          );
        }}
      </View>
    </>
  );
}
