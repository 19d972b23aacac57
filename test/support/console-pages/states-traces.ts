/** A provider and its traces: each state comes from a real attempt at a fake provider. */
import type { OperatorRole } from '../../../src/server/http/types.js';
import type { ConsoleState } from './console-state.js';
import type { StatePages } from './state-pages.js';

/** @param make the attempt. @returns the id of its trace */
const traceState = (state: string, shows: string, make: (pages: StatePages) => Promise<string>): ConsoleState => ({
  page: '/traces/{trace_id}',
  state,
  shows,
  async reach(pages, options) {
    return pages.enter('admin', { ...options, path: `/traces/${await make(pages)}` });
  },
});

const opened = async (pages: StatePages): Promise<string> => (await (await pages.tracing()).openTrace('github')).id;

async function begun(pages: StatePages): Promise<string> {
  const { openTrace, openBrowser } = await pages.tracing();
  const { id, path } = await openTrace('google');
  await openBrowser().open(path);
  return id;
}

/** @param change of its times, as SQL */
async function changed(pages: StatePages, id: string, change: string): Promise<string> {
  await pages.console.database.admin.query(`update provider_traces set ${change} where id = $1`, [id]);
  return id;
}

async function failed(pages: StatePages): Promise<string> {
  const error_description = 'The client secret of this app has expired.';
  const body = { error: 'invalid_client', error_description };
  pages.providers.misbehave('github', 'token', { status: 401, body });
  const { id } = await (await pages.tracing()).attempt('github');
  pages.providers.misbehave('github', 'token', null);
  return id;
}

async function dryRun(pages: StatePages): Promise<string> {
  pages.providers.person('google', { email: 'ada@example.com' });
  return (await (await pages.tracing()).attempt('google', { isDry: true })).id;
}

const providerState = (state: string, name: string, role: OperatorRole, shows: string): ConsoleState => ({
  page: '/providers/{provider}',
  state,
  shows,
  async reach(pages, options) {
    await dryRun(pages);
    return pages.enter(role, { ...options, path: `/providers/${name}` });
  },
});

export const traceStates: readonly ConsoleState[] = [
  providerState('ready', 'google', 'admin', 'main .badge:has-text("dry run passed")'),
  providerState('without-a-trace', 'github', 'admin', 'main .check-run'),
  providerState('for-viewers', 'google', 'viewer', 'main p:has-text("need the role admin")'),
  providerState('off', 'gitlab', 'admin', 'main p:has-text("nothing to test")'),
  {
    page: '/providers/{provider}',
    state: 'tested',
    shows: 'main .checks li.failed',
    async reach(pages, options) {
      pages.providers.misbehave('google', 'token', { status: 401, body: { error: 'invalid_client' } });
      const it = await pages.enter('admin', { ...options, path: '/providers/google' });
      await it.page.getByRole('button', { name: 'Test', exact: true }).click();
      // The badge may be that of an earlier run.
      await it.page.locator('main .checks li.failed').first().waitFor();
      pages.providers.misbehave('google', 'token', null);
      return it;
    },
  },
  {
    page: '/providers/{provider}',
    state: 'opening-a-trace',
    shows: 'dialog[open] input[type="radio"]',
    async reach(pages, options) {
      const it = await pages.enter('admin', { ...options, path: '/providers/google' });
      await it.page.getByRole('button', { name: 'Trace a sign-in' }).click();
      return it;
    },
  },
  {
    page: '/traces/{trace_id}',
    state: 'just-opened',
    shows: 'main a.button[target="_blank"]',
    async reach(pages, options) {
      const it = await pages.enter('admin', { ...options, path: '/providers/google' });
      await it.page.getByRole('button', { name: 'Trace a sign-in' }).click();
      await it.page.getByRole('button', { name: 'Open a trace' }).click();
      return it;
    },
  },
  traceState('waiting', 'main .empty .title:has-text("Waits for")', opened),
  traceState('under-way', 'main .badge:has-text("under way")', begun),
  traceState('never-opened', 'main .empty .title:has-text("not opened")', async (pages) =>
    changed(pages, await opened(pages), 'expires_at = now()'),
  ),
  traceState('did-not-come-back', 'main .alert.warn', async (pages) =>
    changed(pages, await begun(pages), "started_at = now() - interval '12 minutes'"),
  ),
  traceState('failed', 'main li.failed .advice', failed),
  traceState('dry-run', 'main .badge:has-text("dry run passed")', dryRun),
];
