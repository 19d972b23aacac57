/** States of the forms of settings: changed, refused, in conflict, locked, for viewers; and of their history. */
import type { Page } from 'playwright-core';
import type { SignedInOperator } from '../console.js';
import type { OpenedPage, PageOptions } from '../console-page.js';
import type { ConsoleState } from './console-state.js';
import type { StatePages } from './state-pages.js';

/** Another operator, who is signed in once for all states. */
const others = new WeakMap<StatePages, Promise<SignedInOperator>>();

function otherOperator(pages: StatePages): Promise<SignedInOperator> {
  const known = others.get(pages) ?? pages.console.signIn('owner', 'of-settings');
  others.set(pages, known);
  return known;
}

/** What another operator changes meanwhile, or before. */
export async function storeSettings(
  pages: StatePages,
  changes: Readonly<Record<string, string | null>>,
  comment = '',
): Promise<void> {
  const operator = await otherOperator(pages);
  const { version } = (await operator.get('/api/config')).body;
  const answer = await operator.post('/api/config', { base_version: version, changes, comment });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
}

async function enterForm(pages: StatePages, options: PageOptions, path: string): Promise<OpenedPage> {
  const opened = await pages.enter('owner', { ...options, path });
  await opened.page.locator('main .card').first().waitFor();
  return opened;
}

const bar = (page: Page) => page.getByRole('region', { name: 'Changes that are not applied' });

const shownForm = (page: string, state: string, address: string, shows: string): ConsoleState => ({
  ...{ page, state, shows },
  reach: (pages, options) => enterForm(pages, options, address),
});

export const settingStates: readonly ConsoleState[] = [
  shownForm('/redirects', 'settings', '/redirects?tab=settings', 'main .setting details .badge'),
  shownForm('/limits', 'settings', '/limits?tab=settings', 'main .setting input'),
  shownForm('/hooks', 'settings', '/hooks?tab=settings', 'main details.card'),
  shownForm('/sign-in-rules', 'second-factors', '/sign-in-rules?tab=second-factors', 'main .setting input'),
  shownForm(
    '/sign-in-rules',
    'from-the-list',
    '/sign-in-rules?tab=sessions&setting=AUTH_SESSIONS_TIMEBOX',
    'main .setting.wanted input:focus',
  ),
  {
    page: '/sign-in-rules',
    state: 'changed',
    shows: 'main .draft-bar details[open] li',
    async reach(pages, options) {
      const opened = await enterForm(pages, options, '/sign-in-rules?tab=passwords');
      await opened.page.getByLabel('Minimum length').fill('12');
      await opened.page.getByLabel('Refuse common passwords').check();
      await bar(opened.page).locator('summary').click();
      return opened;
    },
  },
  {
    page: '/sign-in-rules',
    state: 'refused',
    shows: 'main .setting .fault',
    async reach(pages, options) {
      const opened = await enterForm(pages, options, '/sign-in-rules?tab=passwords');
      await opened.page.getByLabel('Minimum length').fill('twelve');
      await bar(opened.page).getByRole('button', { name: 'Check' }).click();
      return opened;
    },
  },
  {
    page: '/sign-in-rules',
    state: 'in-conflict',
    shows: 'main .draft-bar .alert.warn button',
    async reach(pages, options) {
      const opened = await enterForm(pages, options, '/sign-in-rules?tab=sessions');
      await opened.page.getByLabel('Maximum age').fill('24h');
      await storeSettings(pages, { AUTH_SESSIONS_TIMEBOX: `${Math.ceil(Math.random() * 1e6)}s` });
      await bar(opened.page).getByRole('button', { name: 'Apply' }).click();
      await opened.page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
      return opened;
    },
  },
  {
    page: '/sign-in-rules',
    state: 'for-viewers',
    shows: 'main .setting input:disabled',
    reach: (pages, options) => pages.enter('viewer', { ...options, path: '/sign-in-rules' }),
  },
  {
    page: '/configuration',
    state: 'processes',
    shows: 'main td .badge',
    reach: (pages, options) => pages.enter('viewer', { ...options, path: '/configuration?tab=processes' }),
  },
  {
    page: '/sms',
    state: 'secret',
    shows: 'main .setting input[type="password"]',
    async reach(pages, options) {
      const opened = await enterForm(pages, options, '/sms?setting=AUTH_SMS_TWILIO_AUTH_TOKEN');
      await opened.page.getByRole('button', { name: 'Set: Auth token' }).click();
      return opened;
    },
  },
  {
    page: '/configuration/history',
    state: 'changes',
    shows: 'main article .badge',
    async reach(pages, options) {
      const text = String(3600 + Math.floor(Math.random() * 1e6));
      await storeSettings(pages, { AUTH_JWT_EXP: text, AUTH_SMS_VONAGE_API_SECRET: text }, 'longer tokens');
      return pages.enter('owner', { ...options, path: '/configuration/history' });
    },
  },
];
