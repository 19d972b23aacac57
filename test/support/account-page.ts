/** The account page as a browser without scripts sees it. */
import { PageBrowser } from './page-browser.js';
import { password } from './server.js';

/** A browser that has signed in with the password, and is on a part of the account page. */
export async function openAccountPage(origin: string, address: string, part = ''): Promise<PageBrowser> {
  const browser = await new PageBrowser(origin).open(`/ui/account${part === '' ? '' : `/${part}`}`);
  return browser.send(browser.form('/ui/sign-in'), { address, password });
}

/** Path of the page that is shown. */
export const pathOf = (browser: PageBrowser): string => new URL(browser.url).pathname;
