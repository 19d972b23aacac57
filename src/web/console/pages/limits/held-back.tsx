/** Whom limits and delays hold back, and until when. */
import { useState } from 'preact/hooks';
import { pathWith, send } from '../../core/api.js';
import { place } from '../../core/location.js';
import { useResource } from '../../core/resource.js';
import { may, toast } from '../../core/state.js';
import { DeedDialog } from '../../parts/dialog.js';
import { Filters } from '../../parts/filters.js';
import { List, Pager } from '../../parts/list.js';
import { Empty, View } from '../../parts/view.js';
import { counterColumns, nameOfLimit, type ShownCounter, type ShownLimit } from './limit-columns.js';
import { Person } from './person.js';

interface LimitsPage {
  readonly limits: readonly ShownLimit[];
  readonly held: readonly ShownCounter[];
  readonly next_cursor: string | null;
}

export function HeldBack() {
  const { query } = place.value;
  const page = useResource<LimitsPage>(
    pathWith('/api/limits', { name: query.get('name'), cursor: query.get('cursor') }),
  );
  const [forgiven, setForgiven] = useState<ShownCounter | null>(null);
  const [changes, setChanges] = useState(0);
  const limits = page.data?.limits ?? [];
  const forgive = async (reason: string | undefined) => {
    const { name, key } = forgiven!;
    await send('POST', '/api/limits/forgive', { body: { name, key, reason } });
    toast('Forgiven: every process follows within five seconds');
    setChanges(changes + 1);
    await page.reload();
  };
  const choices = limits.map(({ name }) => ({ value: name, label: nameOfLimit(name) }));
  return (
    <>
      {may('support') && <Person limits={limits} forgive={setForgiven} changes={changes} />}
      <section>
        <h2>Held back now</h2>
        <Filters fields={[{ name: 'name', label: 'Limit', kind: 'choice', choices }]} />
        <View of={page}>
          {({ held, next_cursor }) => (
            <>
              {held.length === 0 && next_cursor === null ? (
                <Empty title="Nobody is held back">
                  <p>Whoever reaches a limit is listed here with the first request that is refused.</p>
                </Empty>
              ) : (
                <List
                  label="Held back"
                  rows={held}
                  columns={counterColumns(limits, setForgiven)}
                  keyOf={({ name, key }) => `${name} ${key}`}
                />
              )}
              <Pager next={next_cursor} />
            </>
          )}
        </View>
      </section>
      {forgiven !== null && (
        <DeedDialog
          title="Forgive"
          verb="Forgive"
          onClose={() => setForgiven(null)}
          run={({ reason }) => forgive(reason)}
        >
          <p>
            {nameOfLimit(forgiven.name)}: what was counted is forgotten, and the next request is the first one. The
            limit stays as it is.
          </p>
        </DeedDialog>
      )}
    </>
  );
}
