/** Checks of an address before a mail: a list, the DNS, and a service of the operator's. Doubt is no refusal. */
import { Resolver } from 'node:dns/promises';
import type { Config } from '../config/settings.js';
import { callOut } from '../outbound/outbound.js';
import type { Log } from '../telemetry/log.js';
import { logSparsely } from '../telemetry/sparse-log.js';
import { isOneAddress } from './recipient.js';

/** Of all checks of an address together. */
const TOTAL_SECONDS = 3;
/** Of the service's answer; more is not read. */
const ANSWER_CHARACTERS = 32;

const placeholders = ['test@gmail.com', 'example@gmail.com', 'someone@gmail.com', 'test@email.com'];
/** RFC 2606 2 and RFC 6762 3, also as the end of a name. */
const reserved = ['test', 'example', 'invalid', 'local', 'localhost'];
const refusedHosts = [
  ...['test.com', 'example.com', 'example.net', 'example.org'],
  // Mistyped names of the largest providers.
  ...['gamil.com', 'gmial.com', 'gnail.com', 'gmail.con', 'hotmial.com', 'hotmail.con', 'yahoo.con', 'outlook.con'],
];
/** These get mail, whatever the DNS says at this moment. */
const largeProviders = [
  ...['gmail.com', 'googlemail.com', 'outlook.com', 'hotmail.com', 'live.com', 'msn.com', 'yahoo.com', 'aol.com'],
  ...['icloud.com', 'me.com', 'mac.com', 'proton.me', 'protonmail.com', 'gmx.de', 'gmx.net', 'web.de'],
];
/** Gmail gives out none that are shorter. */
const GMAIL_NAME_CHARACTERS = 6;

type CheckSettings = Pick<
  Config,
  | 'mailerEmailValidationExtended'
  | 'mailerEmailValidationBlockedMx'
  | 'mailerEmailValidationServiceUrl'
  | 'mailerEmailValidationServiceHeaders'
  | 'dnsServers'
>;

/**
 * @returns whether an address is accepted; it never throws, and takes no time while all checks are off
 */
export function createAddressCheck(config: CheckSettings, log: Pick<Log, 'warn'>): (email: string) => Promise<boolean> {
  const isExtended = config.mailerEmailValidationExtended;
  const hasService = config.mailerEmailValidationServiceUrl !== '';
  // The pattern of the setting permits strings only.
  const listed = JSON.parse(config.mailerEmailValidationBlockedMx) as string[];
  const blocked = new Set(listed.map(normaliseHost));
  const resolver = new Resolver({ timeout: 1000, tries: 2 });
  if (config.dnsServers.length > 0) resolver.setServers([...config.dnsServers]);

  async function check(email: string): Promise<boolean> {
    const host = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
    if (isExtended && (isRefusedByName(email, host) || !(await getsMail(resolver, host, blocked)))) return false;
    return !hasService || isValidForService(config, email);
  }

  return async (email) => {
    if (!isExtended && !hasService) return true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(true), TOTAL_SECONDS * 1000);
    });
    try {
      return await Promise.race([check(email), late]);
    } catch (error) {
      logSparsely(
        log,
        'warn',
        'address',
        { component: 'mail', error: (error as Error).message },
        'An email address could not be checked and is accepted',
      );
      return true;
    } finally {
      clearTimeout(timer);
    }
  };
}

const normaliseHost = (host: string): string => host.toLowerCase().replace(/\.$/, '');

function isRefusedByName(email: string, host: string): boolean {
  const name = email.slice(0, email.lastIndexOf('@')).split('+', 1)[0]!;
  return (
    !isOneAddress(email) ||
    !host.includes('.') ||
    placeholders.includes(email.toLowerCase()) ||
    refusedHosts.includes(host) ||
    reserved.includes(host.slice(host.lastIndexOf('.') + 1)) ||
    (host === 'gmail.com' && name.length < GMAIL_NAME_CHARACTERS)
  );
}

/** False only if the DNS says that there is neither a mail exchanger nor an address (RFC 5321 5.1), or a blocked one. */
async function getsMail(resolver: Resolver, host: string, blocked: ReadonlySet<string>): Promise<boolean> {
  if (largeProviders.includes(host)) return true;
  const exchangers = await unlessAbsent(resolver.resolveMx(host));
  if (exchangers !== null && exchangers.length > 0) {
    const hosts = exchangers.map(({ exchange }) => normaliseHost(exchange));
    // RFC 7505: one exchanger with an empty name means that the domain gets no mail.
    return hosts.some((name) => name !== '') && !hosts.some((name) => blocked.has(name));
  }
  const addresses = await Promise.all([unlessAbsent(resolver.resolve4(host)), unlessAbsent(resolver.resolve6(host))]);
  return addresses.some((found) => found !== null && found.length > 0);
}

/** @returns null when the name or its record does not exist; @throws other faults, which are doubtful */
async function unlessAbsent<Records>(query: Promise<Records>): Promise<Records | null> {
  try {
    return await query;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ENOTFOUND' || code === 'ENODATA') return null;
    throw error;
  }
}

async function isValidForService(config: CheckSettings, email: string): Promise<boolean> {
  const headers = Object.entries(config.mailerEmailValidationServiceHeaders).map(
    ([name, values]) => [name, values.join(', ')] as const,
  );
  const { status, text } = await callOut({
    url: config.mailerEmailValidationServiceUrl,
    method: 'POST',
    headers: { ...Object.fromEntries(headers), 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify({ email }),
    totalSeconds: TOTAL_SECONDS,
  });
  if (status < 200 || status > 299) return true;
  try {
    return (JSON.parse(text.slice(0, ANSWER_CHARACTERS)) as { valid?: unknown } | null)?.valid !== false;
  } catch {
    return true;
  }
}
