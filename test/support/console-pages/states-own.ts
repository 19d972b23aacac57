/** States of single pages of the console, and what comes before them. */
import type { ConsoleState } from './console-state.js';

export const ownStates: readonly ConsoleState[] = [
  {
    page: '/sign-in',
    state: 'at-first',
    shows: 'form button',
    async reach({ visit, origin }, options) {
      const opened = await visit(options);
      await opened.page.goto(`${origin}/`);
      return opened;
    },
  },
  {
    page: '/sign-in',
    state: 'refused',
    shows: '[role="alert"]',
    async reach({ visit, origin }, options) {
      const opened = await visit(options);
      await opened.page.goto(`${origin}/`);
      await opened.page.getByLabel('Name').fill('nobody');
      await opened.page.getByLabel('Password').fill('not the password');
      await opened.page.getByLabel(/^Code/).fill('000000');
      await opened.page.keyboard.press('Enter');
      return opened;
    },
  },
  {
    page: '/link',
    state: 'welcome',
    shows: 'button',
    async reach({ console, visit, origin }, options) {
      const opened = await visit(options);
      const { link } = await console.invite(`new-${Date.now()}@example.com`, 'support');
      await opened.page.goto(`${origin}/link#${link}`);
      return opened;
    },
  },
  {
    page: '/link',
    state: 'used',
    shows: '[role="alert"]',
    async reach({ visit, origin }, options) {
      const opened = await visit(options);
      await opened.page.goto(`${origin}/link#${'x'.repeat(43)}`);
      return opened;
    },
  },
  {
    page: '/users',
    state: 'nobody-matches',
    shows: 'main .empty .title',
    async reach({ enter }, options) {
      return enter('viewer', { ...options, path: '/users?q=nobody.of.this.name' });
    },
  },
  {
    page: '/users',
    state: 'wrong-cursor',
    shows: 'main .alert button',
    async reach({ enter }, options) {
      return enter('viewer', { ...options, path: '/users?cursor=nonsense' });
    },
  },
  {
    page: '/users',
    state: 'stale',
    shows: 'main .alert.warn[role="status"] ~ fieldset[disabled] td',
    async reach({ enter }, options) {
      const opened = await enter('viewer', { ...options, path: '/users' });
      await opened.page.locator('main td').first().waitFor();
      await opened.page.context().setOffline(true);
      await opened.page.evaluate(() => {
        // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
        const { history, dispatchEvent, PopStateEvent } = globalThis as any;
        history.pushState(null, '', '/users?q=ada');
        dispatchEvent(new PopStateEvent('popstate'));
      });
      return opened;
    },
  },
  {
    page: '/users',
    state: 'no-such-page',
    shows: 'main .empty a[href="/"]',
    async reach({ enter }, options) {
      const opened = await enter('viewer', { ...options, path: '/users' });
      await opened.page.evaluate(() => {
        // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
        const { history, dispatchEvent, PopStateEvent } = globalThis as any;
        history.pushState(null, '', '/nowhere');
        dispatchEvent(new PopStateEvent('popstate'));
      });
      return opened;
    },
  },
  ...(['allowed', 'refused'] as const).map(
    (verdict): ConsoleState => ({
      page: '/redirects',
      state: verdict,
      shows: `main section .badge:has-text("${verdict}")`,
      async reach({ enter }, options) {
        const target = verdict === 'allowed' ? 'http://localhost:3000/welcome' : 'https://elsewhere.example/x?y=1#z';
        return enter('viewer', { ...options, path: `/redirects?redirect_to=${encodeURIComponent(target)}` });
      },
    }),
  ),
];
