/** The audit log: live at its newest end, by cursor backwards, of one action, one person or both, and as a file. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { asFault, isAbort, pathWith } from '../core/api.js';
import { place } from '../core/location.js';
import { useResource } from '../core/resource.js';
import { ExportButton } from '../parts/export-button.js';
import { type FilterField, Filters } from '../parts/filters.js';
import { Heading } from '../parts/heading.js';
import { Pager } from '../parts/list.js';
import { Time } from '../parts/time.js';
import { Empty, View } from '../parts/view.js';
import { Entries, type Entry, type EntryPage } from './activity/entries.js';
import { readNews } from './activity/follow.js';

const fields: readonly FilterField[] = [
  { name: 'person', label: 'Person', kind: 'search', hint: 'Id of a user or an operator' },
  { name: 'action', label: 'Action', kind: 'text' },
  { name: 'organization_id', label: 'Organization', kind: 'text', isRare: true },
];
const TAIL_MS = 2000;
/** Older ones are on the next pages. */
const MOST_SHOWN = 500;
const CUT = 'Live. More happens than fits: the newest are shown, and all are on the next pages.';

export function Page() {
  const { query } = place.value;
  const filter = Object.fromEntries(fields.map(({ name }) => [name, query.get(name)]));
  const cursor = query.get('cursor');
  const page = useResource<EntryPage>(pathWith('/api/activity', { ...filter, cursor }));
  const isLive = !cursor && Object.values(filter).every((value) => !value);
  return (
    <>
      <Heading title="Activity" about="What users and operators did, newest first." />
      <Filters fields={fields} />
      <View of={page} rows={12}>
        {({ entries, next_cursor, searched_until }) => (
          <>
            {isLive ? (
              <Tail known={entries} />
            ) : entries.length === 0 && !searched_until ? (
              <Empty title="Nothing matches">
                <p>
                  A person or an organization is found by its id; an action by its whole name, as login or user_deleted.
                </p>
              </Empty>
            ) : (
              <Entries label="Activity" entries={entries} />
            )}
            <ExportButton path="/api/activity/export" name="activity" filter={filter} />
            <Pager next={next_cursor}>
              {searched_until && (
                <>
                  Looked at the entries back to <Time at={searched_until} isExact />; older ones follow.
                </>
              )}
            </Pager>
          </>
        )}
      </View>
    </>
  );
}

/** Asks for what is new every two seconds while the page is seen, and goes on where it was. */
function Tail({ known }: { readonly known: readonly Entry[] }) {
  const [entries, setEntries] = useState(known);
  const [isOn, setOn] = useState(true);
  const [lost, setLost] = useState<string | null>(null);
  const [isCut, setCut] = useState(false);
  const cutAt = useRef<string | null>(null);
  const newest = entries[0]?.created_at ?? null;
  useEffect(() => setEntries(known), [known]);
  useEffect(() => {
    if (!isOn) return;
    // Before the first entry, whatever is there is new.
    const since = newest ?? new Date(0).toISOString();
    const abort = new AbortController();
    let isAsking = false;
    const ask = async () => {
      if (isAsking || document.visibilityState !== 'visible') return;
      isAsking = true;
      try {
        const news = await readNews(since, cutAt.current, abort.signal);
        if (news.isCut) cutAt.current = news.entries[0]?.created_at ?? null;
        setLost(null);
        setCut(news.isCut);
        setEntries((former) => (news.isCut ? news.entries : withNew(former, news.entries)));
      } catch (error) {
        if (!isAbort(error)) setLost(asFault(error).message);
      } finally {
        isAsking = false;
      }
    };
    const timer = setInterval(() => void ask(), TAIL_MS);
    return () => {
      clearInterval(timer);
      abort.abort();
    };
  }, [isOn, newest]);
  return (
    <section>
      <div class="row">
        <p class="live" role="status">
          {!isOn ? 'Stopped' : lost !== null ? `${lost} Trying again.` : isCut ? CUT : 'Live'}
        </p>
        <button type="button" class="plain small" onClick={() => setOn(!isOn)}>
          {isOn ? 'Stop' : 'Go on'}
        </button>
      </div>
      {entries.length === 0 ? (
        <Empty title="Nothing has happened yet">
          <p>The first sign-up or sign-in appears here by itself.</p>
        </Empty>
      ) : (
        <Entries label="Activity" entries={entries} />
      )}
    </section>
  );
}

/** Answers overlap by some seconds, since transactions end in another order than they begin. */
function withNew(former: readonly Entry[], given: readonly Entry[]): readonly Entry[] {
  const ids = new Set(former.map(({ id }) => id));
  const added = given.filter(({ id }) => !ids.has(id));
  if (added.length === 0) return former;
  return [...added, ...former].sort((a, b) => (a.created_at < b.created_at ? 1 : -1)).slice(0, MOST_SHOWN);
}
