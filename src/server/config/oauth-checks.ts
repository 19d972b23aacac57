/** Checks of the settings of the authorization server. They count only while it is on. */
import type { Fault, Notice } from './faults.js';
import type { Config } from './settings.js';

/** @param nameOf the environment name of a key */
export function findOauthFaults(
  config: Config,
  nameOf: (key: string) => string,
): { readonly keys: string[]; readonly fault: Fault }[] {
  if (!config.oauthServerEnabled) return [];
  const found: { keys: string[]; fault: Fault }[] = [];
  if (config.oauthServerDeviceGrantEnabled && config.oauthServerDevicePath === '' && !config.pagesEnabled) {
    const variable = nameOf('oauthServerDevicePath');
    const problem = `is missing, and ${nameOf('oauthServerDeviceGrantEnabled')} is on: set it, or ${nameOf('pagesEnabled')}`;
    const keys = ['oauthServerEnabled', 'oauthServerDeviceGrantEnabled', 'oauthServerDevicePath', 'pagesEnabled'];
    found.push({ keys, fault: { variable, problem, example: '/device' } });
  }
  const salt = config.oauthServerPairwiseSalt;
  if (salt !== '' && Buffer.byteLength(salt) < 32) {
    const variable = nameOf('oauthServerPairwiseSalt');
    const problem = 'is shorter than 32 bytes and can be guessed';
    const fault = { variable, problem, example: 'the output of: openssl rand -base64 48' };
    found.push({ keys: ['oauthServerEnabled', 'oauthServerPairwiseSalt'], fault });
  }
  return found;
}

/**
 * Autoconfirm beside the authorization server: clients must not hear that an address is verified which nobody proved, and
 * so they never do for most accounts.
 * @param nameOf the environment name of a key
 */
export function findOauthNotices(config: Config, nameOf: (key: string) => string): Notice[] {
  if (!config.oauthServerEnabled) return [];
  const notice = (key: 'mailerAutoconfirm' | 'smsAutoconfirm', what: string, claims: string): Notice => ({
    variable: nameOf(key),
    message: `${nameOf(key)} is on beside ${nameOf('oauthServerEnabled')}: anyone can sign up with the ${what} of another person. Clients see ${claims} false until it is proven by a link, a code, a provider or an administrator.`,
  });
  return [
    ...(config.mailerAutoconfirm ? [notice('mailerAutoconfirm', 'address', 'email_verified')] : []),
    ...(config.smsAutoconfirm ? [notice('smsAutoconfirm', 'number', 'phone_number_verified')] : []),
  ];
}
