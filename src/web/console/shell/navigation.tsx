import { place } from '../core/location.js';
import { groups, type Page } from '../core/page.js';
import { may } from '../core/state.js';
import { consolePages } from '../pages/index.js';
import { Icon } from '../parts/icon.js';

/** The pages that the operator's role may see. */
export const Navigation = () => (
  <nav class="pages" aria-label="Pages">
    {groups.map((group) => {
      const shown = consolePages.filter(({ menu, role }) => menu?.group === group && may(role));
      if (shown.length === 0) return null;
      return (
        <div key={group}>
          <p id={`pages-${group}`}>{group}</p>
          <ul aria-labelledby={`pages-${group}`}>
            {shown.map((page) => (
              <li key={page.path}>
                <PageLink page={page} />
              </li>
            ))}
          </ul>
        </div>
      );
    })}
  </nav>
);

function PageLink({ page }: { readonly page: Page }) {
  const { path } = place.value;
  const isCurrent = path === page.path;
  const isInside = page.path !== '/' && path.startsWith(`${page.path}/`);
  // The part of the script is there when the link is followed.
  const fetchPage = () => void page.load().catch(() => undefined);
  return (
    <a
      href={page.path}
      aria-current={isCurrent ? 'page' : isInside ? 'true' : undefined}
      onPointerEnter={fetchPage}
      onFocus={fetchPage}
    >
      <Icon name={page.menu!.icon} /> {page.title}
    </a>
  );
}
