/** Every page of the console in each of its states, in a browser: accessible, within its policy, and in its place. */

import { consoleLooks, findPageFaults } from '../support/console-page.js';
import { consoleStates } from '../support/console-pages/catalogue.js';
import { type ConsoleState, nameOfConsoleState } from '../support/console-pages/console-state.js';
import { knownKeys, knownPages } from '../support/console-pages/known-pages.js';
import { openStatePages } from '../support/console-pages/state-pages.js';
import { generalStates } from '../support/console-pages/states-general.js';
import { pickForm } from '../support/long-form.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { pickRows } from '../support/rows.js';
import { equalSoon } from '../support/soon.js';
import { t, takesMinutesInFull } from '../support/tap.js';

takesMinutesInFull('every page of the console in each of its states');

const sampled = sampleStates();
/**
 * The long form sees every state in every look. Else a state is seen in one look, by turns that shift, so that states which
 * alternate see all looks.
 */
const rows = pickForm({
  short: sampled.map((state, index) => {
    const turn = index + Math.floor(index / consoleLooks.length);
    return { state, looks: [consoleLooks[turn % consoleLooks.length]!] };
  }),
  long: consoleStates.map((state) => ({ state, looks: consoleLooks })),
});
/** Each kind of state that all pages have, and each look. Every page is seen in a full run. */
const seenStates = pickRows(rows, [
  ({ state }) => (generalStates.includes(state) ? state.state : 'of its own'),
  ({ looks }) => looks[0]!.theme,
  ({ looks }) => looks[0]!.width,
]);

/** All states of single pages; of those that every page has, the first, and at every second page one more by turns. */
function sampleStates(): readonly ConsoleState[] {
  const general = knownPages.flatMap(({ pattern }, index) => {
    const [there, ...others] = generalStates.filter(({ page }) => page === pattern);
    const other = index % 2 === 0 ? others[(index / 2) % others.length] : undefined;
    return other === undefined ? [there!] : [there!, other];
  });
  return [...general, ...consoleStates.filter((state) => !generalStates.includes(state))];
}

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const pages = await openStatePages(t, executablePath);

  t.test('every page has states', async (t) => {
    t.ok(knownPages.length >= 3);
    const seen = new Set(consoleStates.map(({ page }) => page));
    t.same(
      knownPages.filter(({ pattern }) => !seen.has(pattern)),
      [],
    );
    const names = consoleStates.map(nameOfConsoleState);
    t.equal(new Set(names).size, names.length);
    t.equal(new Set(knownKeys).size, knownKeys.length, 'a key leads to one page');
  });

  t.test('a fault is found, also in what all pages have around them and has been without one', async (t) => {
    const { page } = await pages.enter('owner');
    t.same(await findPageFaults(page), []);
    await page.locator('main').evaluate((main) => main.append(main.ownerDocument.createElement('img')));
    t.match(await findPageFaults(page), [/^image-alt /]);
    await page
      .locator('header.top nav a')
      .first()
      .evaluate((link) => link.replaceChildren());
    const faults = (await findPageFaults(page)).join('\n');
    t.match(faults, /^link-name /m);
    t.match(faults, /^image-alt /m);
  });

  for (const { state, looks } of seenStates) {
    t.test(nameOfConsoleState(state), async (t) => {
      for (const look of looks) {
        const { page, faults } = await state.reach(pages, look);
        await page.locator(state.shows).first().waitFor();
        const where = `${look.theme}, ${look.width} pixels`;
        t.same(await findPageFaults(page), [], where);
        await equalSoon(t, () => page.locator('h1').count(), 1, `one heading: ${where}`);
        t.same(faults, [], `nothing is reported against the policy: ${where}`);
        t.match(await page.title(), /console$/);
      }
    });
  }
}
