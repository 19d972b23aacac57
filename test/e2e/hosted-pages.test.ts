/** Every hosted page in each of its states, in a browser: accessible, within its policy and its budgets, and in its place. */
import type { BrowserContextOptions, Page, Response } from 'playwright-core';
import { pageStates } from '../support/hosted/catalogue.js';
import { type OpenDevice, openDevices } from '../support/hosted/devices.js';
import { findAxeFaults, readFields, readLayoutShift, readOverflow, readWeight } from '../support/hosted/inspect.js';
import { isPathOf, nameOfState, type PageState } from '../support/hosted/page-state.js';
import { keepInside, Visitor } from '../support/hosted/visitor.js';
import { openWorlds } from '../support/hosted/worlds.js';
import { pickForm } from '../support/long-form.js';
import { findChromium, openBrowser } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { pickRows } from '../support/rows.js';
import { equalSoon } from '../support/soon.js';
import { type Test, t, takesMinutesInFull } from '../support/tap.js';

takesMinutesInFull('every hosted page in two states');

/** A page with all it loads, compressed, headers included. */
const MAX_PAGE_BYTES = 25_000;
const MAX_FILE_BYTES = 65_536;
const MAX_LAYOUT_SHIFT = 0.02;
/** CSS pixels: a window of 1280 at 400 % (WCAG 2.2, 1.4.10). */
const SMALL = 320;
const WIDE = 1280;
/** What is measured once needs a theme and a width, too. */
const FIRST = { theme: 'light', width: WIDE } as const;
/** Fewest rules of axe-core that apply to the smallest page. */
const FEWEST_RULES = 8;

const LANGUAGES: readonly string[] = ['en', 'ar', 'de', 'fr', 'es', 'pt'];

interface Look {
  readonly theme: 'light' | 'dark';
  readonly width: number;
}

const ALL_LOOKS: readonly Look[] = [
  { theme: 'light', width: WIDE },
  { theme: 'dark', width: WIDE },
  { theme: 'light', width: SMALL },
  { theme: 'dark', width: SMALL },
];
/**
 * The long form sees every state in every language and look, the full one two states of each page in one look each, the short
 * one each kind of page once.
 */
const seenPages = pickRows(
  pickForm({
    short: pickTwoOfEach(),
    long: pageStates.map((state) => ({ state, languages: LANGUAGES, looks: ALL_LOOKS })),
  }),
  [
    ({ state }) => kindOf(state.page),
    ({ languages }) => languages[0],
    ({ looks }) => looks[0]!.theme,
    ({ looks }) => looks[0]!.width,
  ],
);

/** Pages made from the same parts: a form, a question with two buttons, a message, an account, an organization. */
function kindOf(page: string): string {
  if (/^\/ui\/(?:code|device|mfa|password|recover|sign-in|sign-up|company)$/.test(page)) return 'form';
  if (/^\/ui\/(?:consent|continue|link|logout|provider)$/.test(page)) return 'question';
  return page.startsWith('/ui/account') ? page.replace(/^(\/ui\/account(?:\/organizations)?)\/.*/, '$1') : 'message';
}

/** The first state of each page, and its last from right to left. */
function pickTwoOfEach() {
  const first = new Map(pageStates.toReversed().map((state) => [state.page, state]));
  const last = new Map(pageStates.map((state) => [state.page, state]));
  const lookAt = (index: number) => [ALL_LOOKS[index % ALL_LOOKS.length]!];
  return [
    ...[...first.values()].map((state, index) => ({ state, languages: ['en'], looks: lookAt(index) })),
    ...[...last.values()].map((state, index) => ({ state, languages: ['ar'], looks: lookAt(index + 2) })),
  ];
}

/** Values of autocomplete (WCAG 2.2, 1.3.5; password managers). off: what is typed once, or by no person. */
const AUTOCOMPLETE: Readonly<Record<string, readonly string[]>> = {
  address: ['username', 'username webauthn'],
  username: ['username'],
  password: ['current-password', 'new-password'],
  current_password: ['current-password'],
  code: ['one-time-code', 'off'],
  website: ['off'],
  name: ['name', 'off'],
  slug: ['off'],
  search: ['off'],
  domain: ['off'],
  session_hours: ['off'],
  expires_at: ['off'],
  allowed_domains: ['off'],
  metadata_url: ['off'],
  metadata_xml: ['off'],
  attribute: ['off'],
  value: ['off'],
  client_name: ['off'],
  issuer: ['off'],
  client_id: ['off'],
  client_secret: ['off'],
  friendly_name: ['off'],
  // off: the address of another person.
  email: ['email', 'off'],
  phone: ['tel'],
};

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const openDevice = openDevices(t, await openBrowser(t, executablePath));
  const worldOf = openWorlds(t);
  const see = async (state: PageState, options: BrowserContextOptions, check: (seen: Seen) => Promise<void>) => {
    const seen = await open(openDevice, options);
    const visitor = new Visitor(seen.page, await worldOf(state.world));
    await state.reach(visitor);
    await seen.page.locator(state.shows).first().waitFor({ state: 'attached' });
    await check({ ...seen, visitor });
  };

  for (const { state, languages, looks } of seenPages) {
    t.test(`${nameOfState(state)}, ${languages.join(' ')}`, async (t) => {
      for (const language of languages) {
        await see(state, { locale: language, colorScheme: FIRST.theme }, async (seen) => {
          t.equal(await seen.page.locator('html').getAttribute('dir'), language === 'ar' ? 'rtl' : 'ltr');
          await checkOnce(t, state, seen);
          await checkLooks(t, seen, language, looks);
        });
      }
    });
  }
}

interface Opened {
  readonly page: Page;
  readonly responses: Response[];
}
interface Seen extends Opened {
  readonly visitor: Visitor;
}

async function open(openDevice: OpenDevice, options: BrowserContextOptions): Promise<Opened> {
  const { context, page } = await openDevice({ viewport: { width: FIRST.width, height: 800 }, ...options });
  await keepInside(context);
  // Files are weighed as they come to a new visitor.
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.clearBrowserCache');
  await devtools.detach();
  const responses: Response[] = [];
  page.on('response', (response) => responses.push(response));
  return { page, responses };
}

async function checkOnce(t: Test, state: PageState, { page, visitor, responses }: Seen): Promise<void> {
  const { pathname } = new URL(page.url());
  t.ok(isPathOf(state, pathname), `${pathname} is ${state.page}`);
  t.equal(visitor.status, state.status ?? 200);
  t.same(visitor.faults, [], 'neither scripts nor the policy have faults');
  t.same(visitor.foreign, [], 'nothing is loaded from elsewhere');
  await equalSoon(t, () => page.locator('h1').count(), 1);
  const shift = await readLayoutShift(page);
  t.ok(shift <= MAX_LAYOUT_SHIFT, `layout shift ${shift}`);
  await checkWeight(t, visitor, responses);
  for (const { name, autocomplete } of await readFields(page)) {
    t.ok(AUTOCOMPLETE[name]?.includes(autocomplete), `${name} has autocomplete="${autocomplete}"`);
  }
}

/** Files are loaded once in a visit, so their weights are those of all pages of the visit; the document is the last. */
async function checkWeight(t: Test, { world }: Visitor, responses: readonly Response[]): Promise<void> {
  const own = responses.filter((response) => response.url().startsWith(world.origin));
  const isFile = (response: Response) => response.url().includes('/ui/assets/');
  const weights = new Map<string, number>();
  for (const response of [...own.filter(isFile), own.findLast((one) => !isFile(one) && one.status() !== 303)!]) {
    const weight = await readWeight(response);
    if (weight === null) continue;
    weights.set(response.url(), weight);
    t.ok(weight <= MAX_FILE_BYTES, response.url());
  }
  const sum = [...weights.values()].reduce((all, one) => all + one, 0);
  t.ok(weights.size >= 4, 'a page, two style sheets and a script');
  t.ok(sum <= MAX_PAGE_BYTES, `${sum} bytes: ${JSON.stringify([...weights])}`);
}

async function checkLooks(t: Test, { page }: Seen, language: string, looks: readonly Look[]): Promise<void> {
  for (const { theme, width } of looks) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width, height: 800 });
    const { faults, passes } = await findAxeFaults(page);
    const where = `${language}, ${theme}, ${width} pixels`;
    t.same(faults, [], where);
    t.ok(passes >= FEWEST_RULES, `${passes} rules apply: ${where}`);
    t.ok((await readOverflow(page)) <= 0, `nothing overflows: ${where}`);
  }
}
