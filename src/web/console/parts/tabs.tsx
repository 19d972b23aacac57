/** Parts of a page, of which the address names one: links, so that each can be sent and opened beside. */
import { hrefWith, place } from '../core/location.js';

export interface Tab {
  /** In the query; the first is shown without. */
  readonly id: string;
  readonly title: string;
  readonly count?: number;
}

/** The id of the tab that is shown. */
export function currentTab(tabs: readonly Tab[]): string {
  const wanted = place.value.query.get('tab');
  return tabs.find(({ id }) => id === wanted)?.id ?? tabs[0]!.id;
}

export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const current = currentTab(tabs);
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ id, title, count }, i) => (
        <a
          key={id}
          href={hrefWith({ tab: i === 0 ? null : id, cursor: null })}
          aria-current={id === current ? 'page' : undefined}
        >
          {title}
          {count !== undefined && count > 0 && <span class="count">{count}</span>}
        </a>
      ))}
    </nav>
  );
}
