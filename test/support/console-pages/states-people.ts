/** States of imports, notes and saved filters. */
import type { Page } from 'playwright-core';
import type { OpenedPage, PageOptions } from '../console-page.js';
import type { ConsoleState } from './console-state.js';
import type { StatePages } from './state-pages.js';

const good = 'E-Mail,Full name,Verified\nhedy@example.com,"Hedy, L.",true\njoan@example.com,Joan,no\n';
const faulty = `${good}no address,,maybe\nada@example.com,Ada again,\nhedy@example.com,Hedy,\n`;

/** As people call them. */
const FILE = 'members_of_the_club_2026-11-27_final_version_(2).csv';

/** Chooses a file, as by the dialog of the browser. */
export const chooseFile = (page: Page, name: string, text: string | Buffer): Promise<void> =>
  page.getByLabel('File CSV').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

async function openImport(
  { enter }: StatePages,
  options: PageOptions,
  text: string | null,
  clicks: readonly string[] = [],
): Promise<OpenedPage> {
  const opened = await enter('admin', { ...options, path: '/import' });
  if (text !== null) await chooseFile(opened.page, FILE, text);
  for (const name of clicks) await opened.page.getByRole('button', { name }).click();
  return opened;
}

const importState = (state: string, shows: string, text: string, clicks: readonly string[] = []): ConsoleState => ({
  page: '/import',
  state,
  shows,
  reach: (pages, options) => openImport(pages, options, text, clicks),
});

const NOTES = [
  'Called about a lost phone, and named the last three orders.\nMay have a link by mail.',
  'The company pays by invoice: ask accounting before the account is deleted.',
];

export const peopleStates: readonly ConsoleState[] = [
  importState('columns', 'main table[aria-label="Columns"] select', good),
  importState('unreadable', 'main .alert.error', '\n\n'),
  importState('columns-do-not-fit', 'main .alert.error', 'name\nx\n', ['Try without importing']),
  importState('tried', 'main table[aria-label="Refused rows"] td', faulty, ['Try without importing']),
  importState('asked', 'dialog button[type="submit"]', good, ['Try without importing', 'Import 2 accounts']),
  {
    page: '/import',
    state: 'stands',
    shows: 'main .alert.error ~ .actions button',
    async reach(pages, options) {
      const opened = await openImport(pages, options, good);
      await opened.page.route('**/pieces', (route) => route.abort('connectionrefused'));
      await opened.page.getByRole('button', { name: 'Try without importing' }).click();
      return opened;
    },
  },
  {
    page: '/users/{user_id}',
    state: 'notes',
    shows: 'main .notes li',
    async reach({ console, enter, examples }, options) {
      const operator = await console.signIn('support', `notes-${Date.now()}`);
      for (const body of NOTES) await operator.post(`/api/users/${examples['user_id']}/notes`, { body });
      return enter('admin', { ...options, path: `/users/${examples['user_id']}?tab=notes` });
    },
  },
  {
    page: '/users/{user_id}',
    state: 'provisioned',
    shows: 'main section:has-text("userName there") a[href^="/companies/"]',
    async reach({ enter, console }, options) {
      const { rows } = await console.database.admin.query("select id from users where email = 'margaret@example.com'");
      return enter('viewer', { ...options, path: `/users/${rows[0].id}` });
    },
  },
  {
    page: '/users/{user_id}',
    state: 'no-notes',
    shows: 'main .empty .title',
    async reach({ enter, console }, options) {
      const { rows } = await console.database.admin.query("select id from users where email = 'grace@example.com'");
      return enter('viewer', { ...options, path: `/users/${rows[0].id}?tab=notes` });
    },
  },
  {
    page: '/users',
    state: 'saved-filter',
    shows: 'main .saved-filters select',
    async reach({ console, enter }, options) {
      const operator = await console.signIn('admin', `filters-${Date.now()}`);
      const body = { name: 'Banned', query: { banned: 'true' }, is_shared: true };
      await operator.post('/api/saved-filters', body);
      return enter('admin', { ...options, path: '/users?banned=true' });
    },
  },
  {
    page: '/users',
    state: 'save-filter',
    shows: 'dialog input[name="is_shared"]',
    async reach({ enter }, options) {
      const opened = await enter('admin', { ...options, path: '/users?confirmed=true' });
      await opened.page.getByRole('button', { name: 'Save filter' }).click();
      return opened;
    },
  },
];
