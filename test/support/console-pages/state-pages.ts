import type { Test } from 'tap';
import { type ConsolePages, openConsolePages } from '../console-page.js';
import { type FakeProviders, openFakeProviders } from '../fake-providers/index.js';
import { openTracing, type TracingOperator } from '../provider-trace.js';
import { addPeople } from './people.js';

/** The console with people and identity providers, for the catalogue of states. */
export interface StatePages extends ConsolePages {
  readonly providers: FakeProviders;
  /** Opened when a state needs it first. */
  tracing(): Promise<TracingOperator>;
}

/** @param executablePath of Chromium */
export async function openStatePages(t: Test, executablePath: string): Promise<StatePages> {
  const providers = await openFakeProviders(t);
  const pages = await openConsolePages(t, executablePath, providers.settings(['github', 'google']));
  await addPeople(pages.console);
  let tracing: Promise<TracingOperator> | undefined;
  return {
    ...pages,
    providers,
    tracing() {
      tracing ??= openTracing(pages.console, providers);
      return tracing;
    },
  };
}
