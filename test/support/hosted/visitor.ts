/** A person at a real browser, on the hosted pages of a world. Nothing here depends on the language of the pages. */
import type { BrowserContext, Frame, Page } from 'playwright-core';
import { noteSecrets } from '../secret-search.js';
import { password } from '../server.js';
import { APPLICATION, COMPANIES, type World } from './worlds.js';

const CAPTCHA_HOSTS = /^https:\/\/(?:js\.hcaptcha\.com|challenges\.cloudflare\.com)\//;

/** Draws a box of the size that both services draw, since no test talks to them. */
const CAPTCHA_SCRIPT = `for (const box of document.querySelectorAll('.h-captcha, .cf-turnstile')) {
  const drawn = document.createElement('div');
  drawn.textContent = '☐ captcha';
  Object.assign(drawn.style, { width: '302px', height: box.className === 'h-captcha' ? '76px' : '65px', border: '1px solid', padding: '20px', boxSizing: 'border-box' });
  box.append(drawn);
}`;

export class Visitor {
  readonly page: Page;
  readonly world: World;
  /** Of the document that is shown. */
  status = 0;
  /** Faults that the browser has reported: of the policy, of scripts. */
  readonly faults: string[] = [];
  /** Requests for other origins, those of the application, of companies and of a captcha excepted. */
  readonly foreign: string[] = [];

  constructor(page: Page, world: World) {
    this.page = page;
    this.world = world;
    page.on('pageerror', (error) => this.faults.push(error.message));
    page.on('console', (message) => {
      // Chromium reports pages with a status of 4xx, too.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load')) this.faults.push(message.text());
    });
    page.on('request', (request) => {
      const url = request.url();
      const isExpected = [world.origin, APPLICATION, 'data:'].some((start) => url.startsWith(start));
      if (!isExpected && !CAPTCHA_HOSTS.test(url) && !COMPANIES.test(url)) this.foreign.push(url);
    });
    page.on('response', (response) => {
      const isDocument = response.request().isNavigationRequest() && response.url().startsWith(world.origin);
      if (isDocument) this.status = response.status();
    });
  }

  /** @param path of the server, or an address in full */
  async open(path: string): Promise<void> {
    await this.page.goto(new URL(path, this.world.origin).href);
  }

  /** Comes from an application. @param page on which the flow begins */
  async begin(page = 'sign-in', more: Readonly<Record<string, string>> = {}): Promise<void> {
    const challenge = { code_challenge: 'a'.repeat(43), code_challenge_method: 'plain' };
    const query = new URLSearchParams({
      provider: 'custom:hosted',
      redirect_to: `${APPLICATION}/`,
      ...challenge,
      ...more,
    });
    await this.open(`/authorize?${query}`);
    if (page !== 'sign-in') await this.goTo(page);
  }

  /** Another page of the same flow. */
  async goTo(page: string, more = ''): Promise<void> {
    const { searchParams } = new URL(this.page.url());
    await this.open(`/ui/${page}?flow=${searchParams.get('flow')}${more}`);
  }

  async fill(fields: Readonly<Record<string, string>>): Promise<void> {
    noteSecrets(fields);
    for (const [name, value] of Object.entries(fields)) {
      await this.page.locator(`input[name="${name}"]:not([type="hidden"]):visible`).first().fill(value);
    }
  }

  /** Presses what leads to another page, and waits for that. */
  async press(selector: string): Promise<void> {
    const predicate = (frame: Frame) => frame === this.page.mainFrame();
    const arrived = this.page.waitForEvent('framenavigated', { predicate });
    await this.page.locator(selector).first().click();
    await arrived;
    await this.page.waitForLoadState();
  }

  /** On the form of /ui/sign-in. */
  async signIn(address: string, given = password): Promise<void> {
    await this.fill({ address, password: given });
    await this.press('button[value="password"]');
  }

  /** On the form of /ui/sign-in where companies sign in elsewhere. */
  async goOnWith(address: string): Promise<void> {
    await this.fill({ address });
    await this.press('button[value="next"]');
  }

  /** On the form of /ui/sign-in: a code to an address. */
  async askForCode(address: string): Promise<void> {
    await this.fill({ address });
    await this.press('button[value="code"]');
  }

  async enterCode(code: string): Promise<void> {
    await this.fill({ code });
    await this.press('button[value="verify"]');
  }
}

/** Nothing leaves this machine: the application and identity providers of companies answer that the page shall stay, a captcha with a drawn box. */
export async function keepInside(context: BrowserContext): Promise<void> {
  await context.route(`${APPLICATION}/**`, (route) => route.fulfill({ status: 204 }));
  await context.route(COMPANIES, (route) => route.fulfill({ status: 204 }));
  await context.route(CAPTCHA_HOSTS, (route) =>
    route.fulfill({ status: 200, contentType: 'text/javascript', body: CAPTCHA_SCRIPT }),
  );
}
