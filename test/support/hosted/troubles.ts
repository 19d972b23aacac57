/** What goes wrong when somebody sends a form of the hosted pages. */
import type { Form, PageBrowser } from '../page-browser.js';
import type { TestServer } from '../server.js';

export type Trouble = (browser: PageBrowser, form: Form, fields: Record<string, string>) => Promise<unknown>;

export const LOST_COOKIE = 'a lost cookie';
export const EXPIRED_FLOW = 'an expired flow';

/** By name. The form is sent in each. */
export const troublesOf = ({ database }: Pick<TestServer, 'database'>): Readonly<Record<string, Trouble>> => ({
  [LOST_COOKIE]: (browser, form, fields) => {
    browser.cookies.clear();
    return browser.send(form, fields);
  },
  [EXPIRED_FLOW]: async (browser, form, fields) => {
    await database.admin.query("update page_flows set created_at = now() - interval '25 hours' where id = $1", [
      new URL(form.action).searchParams.get('flow'),
    ]);
    return browser.send(form, fields);
  },
  Back: async (browser, form, fields) => {
    await browser.send(form, fields);
    return browser.send(form, fields);
  },
  'a double click': async (browser, form, fields) => {
    const first = await browser.openTab();
    await Promise.all([first.send(form, fields), browser.send(form, fields)]);
  },
  'a second tab': async (browser, form, fields) => {
    const other = await browser.openTab();
    await other.send(form, fields);
    return browser.send(form, fields);
  },
});
