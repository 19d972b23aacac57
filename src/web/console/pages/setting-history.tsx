/** Who has changed which settings, when, from what to what; any earlier state comes back by one click. */
import { useState } from 'preact/hooks';
import { type ApiFault, asFault, pathWith, send } from '../core/api.js';
import { place } from '../core/location.js';
import { useResource } from '../core/resource.js';
import { may, toast } from '../core/state.js';
import { Alert } from '../parts/alert.js';
import { ConfigNotes, type ConfigState } from '../parts/config-notes.js';
import { Badge } from '../parts/details.js';
import { Heading } from '../parts/heading.js';
import { Pager } from '../parts/list.js';
import { Empty, View } from '../parts/view.js';
import { ChangeSet, type ShownSet } from './settings/change-set.js';

interface HistoryPage {
  readonly sets: readonly ShownSet[];
  readonly next_cursor: string | null;
}

export function Page() {
  const config = useResource<ConfigState>('/api/config');
  const list = useResource<HistoryPage>(pathWith('/api/config/history', { cursor: place.value.query.get('cursor') }));
  const [fault, setFault] = useState<ApiFault | null>(null);
  const [busy, setBusy] = useState<number | null>(null);
  const newest = config.data?.version;
  const goBack = async (version: number) => {
    setFault(null);
    setBusy(version);
    try {
      const body = { version, base_version: newest };
      const { data } = await send<{ version: number }>('POST', '/api/config/rollback', { body });
      toast(`Set ${data.version} has the state of set ${version}: every process follows within five seconds`);
      await Promise.all([config.reload(), list.reload()]);
    } catch (error) {
      setFault(asFault(error));
    }
    setBusy(null);
  };
  const back = (version: number, verb: string, what: string) => (
    <button
      type="button"
      class="plain small"
      aria-label={`${verb}: ${what}`}
      aria-busy={busy === version}
      onClick={() => void goBack(version)}
    >
      {verb}
    </button>
  );
  return (
    <>
      <Heading
        title="History of settings"
        about={
          <>
            What was changed here or by <code>latchkey config</code>. Files and the environment have none.
          </>
        }
      />
      {fault !== null && <Alert fault={fault} />}
      {config.data !== undefined && <ConfigNotes state={config.data} put={config.put} />}
      <View of={list} rows={8}>
        {({ sets, next_cursor }) => (
          <>
            {sets.length === 0 && (
              <Empty title="Nothing was changed yet">
                <p>Each change that is applied is listed here, with what it was before.</p>
              </Empty>
            )}
            {sets.map((set) => (
              <ChangeSet key={set.version} set={set}>
                {set.version === newest && <Badge tone="ok">newest</Badge>}
                {may('admin') &&
                  (set.version === newest
                    ? back(set.version - 1, 'Undo', `set ${set.version}`)
                    : back(set.version, 'Back to this', `the state of set ${set.version}`))}
              </ChangeSet>
            ))}
            <Pager next={next_cursor} />
          </>
        )}
      </View>
    </>
  );
}
