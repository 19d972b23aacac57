/** A console, a server and fake providers, and operators who follow sign-ins there. */

import type { ProviderName } from '../../src/server/config/settings/external.js';
import { openTestConsole, type SignedInOperator, type TestConsole } from './console.js';
import type { ConsoleAnswer } from './console-browser.js';
import { type Browser, makeBrowser } from './external-flow.js';
import { type FakeProviders, openFakeProviders, type SignInOptions } from './fake-providers/index.js';
import type { Test } from './tap.js';

/** What an operator does with traces, and a person at a provider. */
export interface TracingOperator {
  /** Of the role admin. */
  readonly operator: SignedInOperator;
  openBrowser(): Browser;
  /** Opens a trace. @returns its id, its address, and what the link of the page there leads to, which starts the attempt */
  openTrace(name: string, isDry?: boolean): Promise<{ id: string; address: string; path: string }>;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on its members.
  read(id: string): Promise<any>;
  /** An attempt of a trace of its own, in a browser of its own. */
  attempt(name: ProviderName, options?: SignInOptions & { isDry?: boolean }): Promise<Attempt>;
}

export interface TracedProviders extends TracingOperator {
  readonly console: TestConsole;
  readonly providers: FakeProviders;
}

export interface Attempt {
  readonly id: string;
  /** What the callback answered. */
  readonly answer: Response;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on its members.
  readonly trace: any;
}

export async function openTracedProviders(
  t: Test,
  names: readonly ProviderName[],
  settings: Record<string, string> = {},
): Promise<TracedProviders> {
  const providers = await openFakeProviders(t);
  const console = await openTestConsole(t, { ...providers.settings(names), ...settings });
  return { console, providers, ...(await openTracing(console, providers)) };
}

export async function openTracing(console: TestConsole, providers: FakeProviders): Promise<TracingOperator> {
  const operator = await console.signIn('admin', 'grace@example.com');
  const openBrowser = (): Browser => makeBrowser(console.url);

  async function openTrace(name: string, isDry = true) {
    const answer: ConsoleAnswer = await operator.post(`/api/providers/${name}/traces`, { dry: isDry });
    if (answer.status !== 201) throw new Error(answer.text);
    const { pathname, search } = new URL(answer.body.url);
    const address = pathname + search;
    const page = await openBrowser().open(address);
    const href = /href="(\?[^"]*)"/.exec(await page.text())?.[1] ?? '';
    return { id: answer.body.id as string, address, path: `${pathname}${href.replaceAll('&amp;', '&')}` };
  }
  const read = async (id: string) => (await operator.get(`/api/traces/${id}`)).body;

  return {
    ...{ operator, openBrowser, openTrace, read },
    async attempt(name, { isDry = false, ...options } = {}) {
      const { id, path } = await openTrace(name, isDry);
      const browser = openBrowser();
      const departure = await browser.open(path);
      const back = await providers.signIn(departure.headers.get('location') ?? '', options);
      const { pathname, search } = new URL(back.url);
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const body = String(new URLSearchParams(back.fields));
      const init = back.method === 'POST' ? { method: 'POST', headers: form, body } : {};
      const answer = await browser.open(pathname + search, init);
      return { id, answer, trace: await read(id) };
    },
  };
}

/** The steps of a kind. */
// biome-ignore lint/suspicious/noExplicitAny: tests assert on its members.
export const stepsOf = (trace: any, kind: string): any[] =>
  trace.steps.filter((step: { kind: string }) => step.kind === kind);

// biome-ignore lint/suspicious/noExplicitAny: tests assert on its members.
export const kindsOf = (trace: any): string[] => trace.steps.map((step: { kind: string }) => step.kind);
