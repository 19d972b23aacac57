/** A rehearsal of a hook that can be watched: what is sent, what comes back, and what follows from it. */
import type { Database } from '../../db/types.js';
import type { Config, HookName } from '../config/settings.js';
import { ApiError } from '../errors.js';
import { HookFailure } from './failure.js';
import { openHookCaller } from './hook-caller.js';
import type { HookTrace } from './http.js';
import { rehearseHook } from './rehearse.js';
import { findSignatureFault } from './signature-check.js';

/** What happens in a rehearsal, in order. A hook may be tried several times. */
export type RehearsalStep =
  | {
      readonly what: 'request';
      readonly line: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: unknown;
    }
  | { readonly what: 'signature'; readonly text: string }
  | { readonly what: 'problem'; readonly text: string }
  | { readonly what: 'answer'; readonly status: number; readonly text: string };

export interface RehearsalEnd {
  readonly durationMs: number;
  /** Null: nothing was sent. */
  readonly verdict: string | null;
  readonly isRefused: boolean;
}

interface RehearsalInput {
  readonly name: HookName;
  /** Of hookEvents. */
  readonly event: string;
  readonly config: Config;
  /** May call the function of the hook, if it is one. */
  readonly db: Database;
  /** The user object. */
  readonly user: Readonly<Record<string, unknown>>;
  /** Nothing is sent. */
  readonly isDry: boolean;
}

/** Ends a rehearsal that sends nothing. */
class DryRun extends Error {}

/** How much of an answer is shown. */
const MAX_SHOWN = 2000;

/**
 * Calls a hook that has an address, as a request would. Secrets of the configuration are hidden in what is told.
 * @param tell called with each step as it happens
 */
export async function rehearseCall(input: RehearsalInput, tell: (step: RehearsalStep) => void): Promise<RehearsalEnd> {
  const { name, event, config, db, user, isDry } = input;
  const warn = ({ reason, error }: { reason?: unknown; error?: unknown }): void =>
    tell({ what: 'problem', text: String(reason ?? error ?? '') });
  const log = { info: () => undefined, warn: warn as never, error: () => undefined };
  const trace = traceTo(tell, config, name, isDry);
  const caller = openHookCaller({ name, settings: config.hooks[name], db, log, trace });
  const startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  try {
    const verdict = await rehearseHook(name, { caller, config, user, event, log });
    return { durationMs: durationMs(), verdict, isRefused: false };
  } catch (error) {
    if (error instanceof DryRun) return { durationMs: durationMs(), verdict: null, isRefused: false };
    const shown = error instanceof HookFailure ? error.shown : error;
    if (!(shown instanceof ApiError)) throw error;
    const verdict = `the client gets ${shown.status}: ${shown.message}`;
    return { durationMs: durationMs(), verdict, isRefused: true };
  } finally {
    caller.close();
  }
}

function traceTo(tell: (step: RehearsalStep) => void, config: Config, name: HookName, isDry: boolean): HookTrace {
  const { secrets, headers: ownHeaders, uri } = config.hooks[name];
  const own = Object.keys(ownHeaders);
  return {
    request(line, headers, body) {
      const shown = Object.entries(headers).map(([key, value]) => [key, own.includes(key) ? '(secret)' : value]);
      tell({
        what: 'request',
        line: line.replace(/\?.*/, '?(hidden)'),
        headers: Object.fromEntries(shown) as Record<string, string>,
        body: JSON.parse(body),
      });
      if (uri?.kind === 'http') tell({ what: 'signature', text: judgeSignature(secrets ?? [], headers, body) });
      if (isDry) throw new DryRun();
    },
    answer({ status, text }) {
      tell({ what: 'answer', status, text: text.slice(0, MAX_SHOWN) });
    },
  };
}

function judgeSignature(...[secrets, headers, body]: Parameters<typeof findSignatureFault>): string {
  if (secrets.length === 0) return 'none: its secret is unset';
  return findSignatureFault(secrets, headers, body) ?? `genuine, with ${secrets.length} secret(s)`;
}
