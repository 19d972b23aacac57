/** Tries what changes of settings lead to outside before they count: the mail server, identity providers and hooks. */
import { viewExampleUser } from '../accounts/new-user-hook.js';
import { checkConfiguredProvider } from '../checks/provider.js';
import { hideCredentials } from '../config/hide-credentials.js';
import { type Config, type HookName, hookNames } from '../config/settings.js';
import { placeNames } from '../config/storable.js';
import { hookFunctions } from '../hooks/index.js';
import { hookEvents } from '../hooks/rehearse.js';
import { type RehearsalStep, rehearseCall } from '../hooks/rehearse-call.js';
import { cureFor } from '../mail/stage-cures.js';
import { tryMailServer } from '../mail/test-mail.js';
import type { App } from '../runtime/app.js';
import type { CheckedChanges } from '../stored-settings/check-changes.js';

export interface TriedSetting {
  /** smtp, provider or hook. */
  readonly check: string;
  /** What was tried: a host, a provider or a hook. */
  readonly name: string;
  readonly is_good: boolean;
  /** At which it failed. */
  readonly stage?: string;
  readonly detail: string;
}

/** Less than a request may take. */
const ATTEMPT_SECONDS = 7;
const MAIL_SERVER = new Set(['smtpHost', 'smtpPort', 'smtpUser', 'smtpPass']);

/** Only what the changes concern and what is on with them. */
export async function trySettings(app: App, { changed, draft }: CheckedChanges): Promise<readonly TriedSetting[]> {
  const { config } = draft;
  const paths = [...placeNames(changed.keys()).values()].map(({ path }) => path);
  const tries: Promise<TriedSetting>[] = [];
  if (config.smtpHost !== '' && paths.some(([key]) => MAIL_SERVER.has(key!))) tries.push(tryMailServerOf(config));
  for (const name of findProviders(config, paths)) tries.push(inTime('provider', name, tryProvider(config, name)));
  for (const name of hookNames) {
    const { enabled, uri } = config.hooks[name];
    if (!enabled || uri === null) continue;
    if (paths.some(([group, hook]) => group === 'hooks' && hook === name)) {
      tries.push(inTime('hook', name, tryHook(app, config, name)));
    }
  }
  return Promise.all(tries);
}

function findProviders(config: Config, paths: readonly (readonly string[])[]): readonly string[] {
  const names = paths.flatMap(([group, name = '']) => {
    if (group === 'providers') return config.providers[name as keyof Config['providers']].enabled ? [name] : [];
    return group === 'customProviders' && config.customProviders[name]?.enabled ? [`custom:${name}`] : [];
  });
  return [...new Set(names)];
}

async function tryMailServerOf(config: Config): Promise<TriedSetting> {
  const failure = await tryMailServer(config, ATTEMPT_SECONDS);
  const tried = { check: 'smtp', name: config.smtpHost };
  if (failure === null) return { ...tried, is_good: true, detail: 'The mail server would take mails.' };
  const detail = `${hideCredentials(failure.message)}. ${cureFor(failure.stage)}`;
  return { ...tried, is_good: false, stage: failure.stage, detail };
}

async function tryProvider(config: Config, name: string): Promise<TriedSetting> {
  const findings = (await checkConfiguredProvider(config, name)) ?? [];
  const wrong = findings.filter(({ kind }) => kind === 'wrong').map(({ text }) => text);
  const tried = { check: 'provider', name, is_good: wrong.length === 0 };
  const detail = wrong.join(' ') || 'Nothing is wrong that can be seen without a browser.';
  return { ...tried, detail: hideCredentials(detail) };
}

async function tryHook(app: App, config: Config, name: HookName): Promise<TriedSetting> {
  const problems: string[] = [];
  const note = (step: RehearsalStep): void => {
    if (step.what === 'problem') problems.push(step.text);
  };
  // Until now this thread has called only the functions of the hooks that are in use.
  app.allowFunctions(hookFunctions(config));
  const call = { name, event: hookEvents[name][0]!, config, db: app.db, user: viewExampleUser({ config }) };
  const { verdict, isRefused } = await rehearseCall({ ...call, isDry: false }, note);
  const detail = [...problems, ...(verdict === null ? [] : [`With an example ${verdict}.`])].join(' ');
  return { check: 'hook', name, is_good: !isRefused, detail: hideCredentials(detail) };
}

/** What takes longer than a request may has not been seen to work. */
async function inTime(check: string, name: string, running: Promise<TriedSetting>): Promise<TriedSetting> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<TriedSetting>((resolve) => {
    const detail = `There was no answer within ${ATTEMPT_SECONDS} seconds.`;
    timer = setTimeout(() => resolve({ check, name, is_good: false, stage: 'time', detail }), ATTEMPT_SECONDS * 1000);
  });
  const failed = (error: unknown): TriedSetting => ({
    ...{ check, name, is_good: false },
    detail: hideCredentials(error instanceof Error ? error.message : String(error)),
  });
  try {
    return await Promise.race([running.catch(failed), late]);
  } finally {
    clearTimeout(timer);
  }
}
