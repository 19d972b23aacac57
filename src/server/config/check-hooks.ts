/** Checks of hooks that involve several settings. */
import { createSecureContext } from 'node:tls';
import type { Fault, Notice } from './faults.js';
import { type Config, hookNames } from './settings.js';

type NameOf = (...path: string[]) => string;

/** @returns paths in Config, joined with dots, and the fault */
export function findHookFaults(config: Config, nameOf: NameOf): { keys: string[]; fault: Fault }[] {
  return hookNames.flatMap((hook) => {
    const { enabled, uri, clientCert, clientKey, ca } = config.hooks[hook];
    const name = (field: string) => nameOf('hooks', hook, field);
    const found: { keys: string[]; fault: Fault }[] = [];
    const add = (field: string, problem: string) =>
      found.push({ keys: [`hooks.${hook}.${field}`], fault: { variable: name(field), problem } });

    if (enabled && uri === null) add('uri', `is missing, and ${name('enabled')} is on: set it, or switch the hook off`);
    if (clientCert !== '' && clientKey === '') add('clientKey', `is missing, and ${name('clientCert')} needs it`);
    else if (clientKey !== '' && clientCert === '') add('clientCert', `is missing, and ${name('clientKey')} needs it`);
    else if (clientCert !== '' && !canUse({ cert: clientCert, key: clientKey })) {
      add('clientCert', `must be a certificate in PEM, and ${name('clientKey')} its key`);
    }
    if (ca !== '' && !canUse({ ca })) add('ca', 'must be certificates in PEM');
    return found;
  });
}

function canUse(options: { cert?: string; key?: string; ca?: string }): boolean {
  try {
    createSecureContext(options);
    return true;
  } catch {
    return false;
  }
}

/** Settings of hooks that have no effect, and hooks that work, but not as they should. */
export function findHookNotices(config: Config, nameOf: NameOf): Notice[] {
  const idle: Notice[] = [];
  for (const [key, hook] of [
    ['hookSendEmailBackground', 'send_email'],
    ['hookSendSmsBackground', 'send_sms'],
  ] as const) {
    if (!config[key] || config.hooks[hook].enabled) continue;
    const variable = nameOf(key);
    const message = `${variable} has no effect while ${nameOf('hooks', hook, 'enabled')} is off.`;
    idle.push({ variable, message });
  }
  return [...idle, ...findUnsigned(config, nameOf)];
}

function findUnsigned(config: Config, nameOf: NameOf): Notice[] {
  return hookNames.flatMap((hook) => {
    const { enabled, uri, secrets } = config.hooks[hook];
    if (!enabled || uri?.kind !== 'http' || (secrets?.length ?? 0) > 0) return [];
    const variable = nameOf('hooks', hook, 'secrets');
    const message = `${variable} is unset: calls of ${hook} leave unsigned, and its receiver cannot tell who calls it.`;
    return [{ variable, message }];
  });
}
