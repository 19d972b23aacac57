/** Identity providers: which work, which could, those of the operator's own, and what is set for all of them. */
import { useState } from 'preact/hooks';
import { useResource } from '../core/resource.js';
import { may } from '../core/state.js';
import { Heading } from '../parts/heading.js';
import { SettingsForm } from '../parts/settings-form.js';
import { currentTab, Tabs } from '../parts/tabs.js';
import { Empty, View } from '../parts/view.js';
import { AddDialog } from './provider/add-dialog.js';
import { Cards } from './provider/cards.js';
import type { ShownProvider } from './provider/shown-provider.js';

const tabs = [
  { id: 'cards', title: 'Providers' },
  { id: 'settings', title: 'All settings' },
];

export function Page() {
  const list = useResource<{ readonly providers: readonly ShownProvider[] }>('/api/providers');
  const [isAdding, setAdding] = useState(false);
  const isCards = currentTab(tabs) === 'cards';
  return (
    <>
      <Heading title="Providers" about="Where users can sign in with an account of somebody else." of={list}>
        {isCards && may('owner') && list.data !== undefined && (
          <button type="button" onClick={() => setAdding(true)}>
            Add an OpenID Connect provider
          </button>
        )}
      </Heading>
      <Tabs label="Providers" tabs={tabs} />
      {isCards ? (
        <View of={list} rows={12}>
          {({ providers }) => <AllCards providers={providers} />}
        </View>
      ) : (
        <SettingsForm form="providers" title="Providers" />
      )}
      {isAdding && <AddDialog providers={list.data?.providers ?? []} onClose={() => setAdding(false)} />}
    </>
  );
}

function AllCards({ providers }: { readonly providers: readonly ShownProvider[] }) {
  const used = providers.filter(({ enabled }) => enabled);
  const off = providers.filter(({ enabled }) => !enabled);
  const old = off.filter(({ replaced_by }) => replaced_by !== null);
  return (
    <>
      {used.length === 0 ? (
        <Empty title="No provider is on">
          <p>Choose one below: its page says where to register this server, and takes what you get there.</p>
        </Empty>
      ) : (
        <section>
          <h2>On</h2>
          <Cards label="Providers that are on" providers={used} />
        </section>
      )}
      <section>
        <h2>Off</h2>
        <Cards
          label="Providers that are off"
          providers={[...off.filter((provider) => !old.includes(provider)).sort(byTitle), ...old]}
        />
      </section>
    </>
  );
}

const byTitle = (a: ShownProvider, b: ShownProvider): number => a.title.localeCompare(b.title);
