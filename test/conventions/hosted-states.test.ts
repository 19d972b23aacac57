/** Every hosted page is in the catalogue of states, which the tests of pages and the screenshots go through. */

import { endpoints } from '../../src/server/endpoints/index.js';
import { pageStates } from '../support/hosted/catalogue.js';
import { nameOfState } from '../support/hosted/page-state.js';
import { t } from '../support/tap.js';

/** Files, not pages. */
const FILES = '/ui/assets/{asset}';

const hosted = endpoints.filter(({ path }) => path.startsWith('/ui/') && path !== FILES);
const pathsOf = (wanted: string) => hosted.filter(({ method }) => method === wanted).map(({ path }) => path);

t.test('every page has a state', async (t) => {
  const [pages, covered] = [pathsOf('GET'), new Set<string>(pageStates.map(({ page }) => page))];
  t.ok(pages.length >= 13);
  t.same(
    pages.filter((path) => !covered.has(path)),
    [],
    'add their states to test/support/hosted',
  );
  t.same(
    [...covered].filter((page) => !pages.includes(page)),
    [],
    'and each state a page',
  );
});

t.test('every page with a form has a state in which the form was refused', async (t) => {
  const refused = new Set<string>(pageStates.flatMap(({ page, status = 200 }) => (status >= 400 ? [page] : [])));
  const forms = pathsOf('POST').filter((path) => pathsOf('GET').includes(path));
  t.ok(forms.length >= 8);
  t.same(
    forms.filter((path) => !refused.has(path)),
    [],
  );
});

t.test('names of states name one picture each', async (t) => {
  const names = pageStates.map(nameOfState);
  t.equal(new Set(names).size, names.length);
  for (const name of names) t.match(name, /^[a-z0-9-]+\.[a-z0-9-]+$/);
});
