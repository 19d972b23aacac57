/** Checks that involve several settings: adjusted values, contradictions, incomplete groups. */

import { noticeKinds } from '../message-kinds.js';
import { isLoopback } from '../outbound/loopback.js';
import { findHookFaults, findHookNotices } from './check-hooks.js';
import { findConsoleFaults, findConsoleNotices } from './console-checks.js';
import { findDnsFaults } from './dns-checks.js';
import { findEventFaults } from './event-checks.js';
import type { Fault, Notice } from './faults.js';
import { findKeyContradictions, noticeKeys } from './key-checks.js';
import { adjustMfa, findMfaFaults } from './mfa-checks.js';
import { findOauthFaults, findOauthNotices } from './oauth-checks.js';
import { findPageFaults } from './page-checks.js';
import { findSamlFaults } from './saml-checks.js';
import { type Config, providerNames, RELOAD_SIGNALS, smsGatewayNeeds } from './settings.js';
import { findTemplateNotices } from './template-checks.js';
import { findWeb3Faults } from './web3-checks.js';
import { findWebAuthnFaults } from './webauthn-checks.js';

type Draft = { -readonly [K in keyof Config]: Config[K] };

/** The environment name of a path in Config. */
type NameOf = (...path: string[]) => string;

interface Findings {
  readonly notices: Notice[];
  readonly nameOf: NameOf;
}

/** Adjusts values to the supported range, with a notice. */
export function adjust(config: Draft, { notices, nameOf }: Findings): void {
  const noteAdjusted = (key: string, why: string) =>
    notices.push({ variable: nameOf(key), message: `${nameOf(key)} ${why}.` });

  if (config.passwordMinLength < 6) {
    config.passwordMinLength = 6;
    noteAdjusted('passwordMinLength', 'is under 6 and counts as 6');
  }
  for (const key of ['mailerOtpLength', 'smsOtpLength', 'mfaPhoneOtpLength'] as const) {
    if (config[key] >= 6 && config[key] <= 10) continue;
    config[key] = 6;
    noteAdjusted(key, 'is not between 6 and 10 and counts as 6');
  }
  if (config.externalFlowStateExpirySeconds < 300) {
    config.externalFlowStateExpirySeconds = 300;
    noteAdjusted('externalFlowStateExpirySeconds', 'is under 5 minutes and counts as 5 minutes');
  }
  adjustMfa(config, noteAdjusted);
  if (config.jwtExpiresInSeconds === 0) config.jwtExpiresInSeconds = 3600;
  config.smtpSenderName ||= config.smtpAdminEmail;
  config.smsTestOtp = Object.fromEntries(
    Object.entries(config.smsTestOtp).map(([phone, code]) => [phone.replace(/[+\s]/g, ''), code.trim()]),
  );
}

/** Contradictory settings, each with the keys it concerns. */
export function findContradictions(config: Config, nameOf: NameOf): { keys: string[]; fault: Fault }[] {
  const found: { keys: string[]; fault: Fault }[] = [
    ...findHookFaults(config, nameOf),
    ...findEventFaults(config, nameOf),
    ...findMfaFaults(config, nameOf),
    ...findWebAuthnFaults(config, nameOf),
    ...findWeb3Faults(config, nameOf),
    ...findPageFaults(config, nameOf),
    ...findConsoleFaults(config, nameOf),
    ...findOauthFaults(config, nameOf),
    ...findSamlFaults(config, nameOf),
    ...findDnsFaults(config, nameOf),
  ];
  if (config.mailerAutoconfirm && config.mailerAllowUnverifiedEmailSignIns) {
    const problem = `cannot be combined with ${nameOf('mailerAutoconfirm')}: switch one of them off`;
    found.push({
      keys: ['mailerAutoconfirm', 'mailerAllowUnverifiedEmailSignIns'],
      fault: { variable: nameOf('mailerAllowUnverifiedEmailSignIns'), problem },
    });
  }
  if (config.dbCitus && config.dbReplicaUrl !== null) {
    const problem = `cannot be combined with ${nameOf('dbCitus')}, whose nodes answer GET /user: remove it`;
    found.push({ keys: ['dbCitus', 'dbReplicaUrl'], fault: { variable: nameOf('dbReplicaUrl'), problem } });
  }
  if (config.securityCaptchaEnabled && config.securityCaptchaSecret.trim() === '') {
    const problem = `is missing, and ${nameOf('securityCaptchaEnabled')} is on: set it, or switch captcha off`;
    found.push({
      keys: ['securityCaptchaEnabled', 'securityCaptchaSecret'],
      fault: { variable: nameOf('securityCaptchaSecret'), problem },
    });
  }
  if (!isReachable(config.hibpApiUrl)) {
    const problem = 'must begin with https://, or with http:// for a mirror on this machine';
    found.push({
      keys: ['hibpApiUrl'],
      fault: { variable: nameOf('hibpApiUrl'), problem, example: 'https://pwned.example.com' },
    });
  }
  if (config.reloadingSignalEnabled && RELOAD_SIGNALS[config.reloadingSignalNumber] === undefined) {
    const problem = 'is a signal that cannot reload: use 10 (SIGUSR1) or 12 (SIGUSR2)';
    const variable = nameOf('reloadingSignalNumber');
    found.push({
      keys: ['reloadingSignalEnabled', 'reloadingSignalNumber'],
      fault: { variable, problem, example: '10' },
    });
  }
  if (!config.uriAllowList.every(hasBalancedBrackets)) {
    const problem = 'holds a pattern with a bracket or brace that is not closed';
    found.push({
      keys: ['uriAllowList'],
      fault: { variable: nameOf('uriAllowList'), problem, example: 'https://*.example.com/**' },
    });
  }
  found.push(...findTextFaults(config, nameOf), ...findKeyContradictions(config, nameOf));
  return found;
}

/** Users would count on a notice that never comes. */
function findTextFaults({ texts, smsProvider, hooks }: Config, nameOf: NameOf): { keys: string[]; fault: Fault }[] {
  if (smsProvider !== null || hooks.send_sms.enabled) return [];
  const cure = `set ${nameOf('smsProvider')} or ${nameOf('hooks', 'send_sms', 'enabled')}, or switch it off`;
  return noticeKinds
    .filter((kind) => texts[kind].enabled)
    .map((kind) => ({
      keys: [`texts.${kind}.enabled`, 'smsProvider', 'hooks.send_sms.enabled'],
      fault: { variable: nameOf('texts', kind, 'enabled'), problem: `is on, and no text can be sent: ${cure}` },
    }));
}

/** As outbound.ts requires. */
function isReachable(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || isLoopback(hostname);
}

function hasBalancedBrackets(pattern: string): boolean {
  const open: string[] = [];
  for (const character of pattern.replace(/\\./g, '')) {
    if (character === '[') open.push(']');
    else if (character === '{') open.push('}');
    else if ((character === ']' || character === '}') && open.pop() !== character) return false;
  }
  return open.length === 0;
}

const sendsMail = ({ smtpHost, hooks }: Config): boolean => smtpHost !== '' || hooks.send_email.enabled;

/** Settings with which the server starts, but a feature will not work. */
export function findIncomplete(config: Config, { notices, nameOf }: Findings): void {
  const note = (variable: string, message: string) => notices.push({ variable, message });

  if (Buffer.byteLength(config.jwtSecret) < 32) {
    const name = nameOf('jwtSecret');
    // SEC-51; docs/decisions.md, Short secrets.
    note(name, `${name} is shorter than 32 bytes and can be guessed; make a new one with: openssl rand -base64 48`);
  }
  notices.push(...noticeKeys(config, nameOf));
  if (config.jwtPreviousSecretsValidUntil !== null && config.jwtPreviousSecrets.length === 0) {
    const name = nameOf('jwtPreviousSecretsValidUntil');
    note(name, `${name} has no effect while ${nameOf('jwtPreviousSecrets')} is unset.`);
  }
  if (config.smtpHost !== '' && config.smtpAdminEmail === '') {
    const name = nameOf('smtpAdminEmail');
    note(name, `${name} is missing: mails have no sender and cannot be sent.`);
  }
  if (config.externalEmailEnabled && !sendsMail(config) && !config.mailerAutoconfirm) {
    const name = nameOf('smtpHost');
    note(name, `${name} is unset: no mail is sent, so nobody can confirm an email address.`);
  }
  if (
    config.externalPhoneEnabled &&
    config.smsProvider === null &&
    !config.hooks.send_sms.enabled &&
    !config.smsAutoconfirm
  ) {
    const name = nameOf('smsProvider');
    note(name, `${name} is unset while ${nameOf('externalPhoneEnabled')} is on: no SMS can be sent.`);
  }
  if (config.smsProvider !== null && config.smsProvider !== 'log') {
    const missing = smsGatewayNeeds[config.smsProvider].filter((key) => config[key] === '').map((key) => nameOf(key));
    if (missing.length > 0) {
      const name = nameOf('smsProvider');
      note(name, `${name} is ${config.smsProvider}, which cannot send without ${missing.join(', ')}.`);
    }
  }
  if (config.leakedPasswordAction !== 'warn' && !config.hibpEnabled && config.hibpFile === '') {
    const name = nameOf('leakedPasswordAction');
    note(name, `${name} has no effect without ${nameOf('hibpEnabled')} or ${nameOf('hibpFile')}.`);
  }
  if (config.leakedPasswordAction !== 'notify' && config.texts.password_leaked_notification.enabled) {
    const name = nameOf('texts', 'password_leaked_notification', 'enabled');
    note(name, `${name} has no effect unless ${nameOf('leakedPasswordAction')} is notify.`);
  }
  if (
    config.leakedPasswordAction === 'notify' &&
    !sendsMail(config) &&
    !config.texts.password_leaked_notification.enabled
  ) {
    const name = nameOf('leakedPasswordAction');
    note(name, `${name} is notify, but no mail is sent while ${nameOf('smtpHost')} is unset.`);
  }
  if (config.pagesEnabled && new URL(config.apiExternalUrl).pathname !== '/') {
    const name = nameOf('apiExternalUrl');
    note(name, `${name} has a path: everything else on its host shares an origin with the hosted pages.`);
  }
  notices.push(...findConsoleNotices(config, nameOf), ...findHookNotices(config, nameOf));
  notices.push(...findOauthNotices(config, nameOf));
  notices.push(...findTemplateNotices(config, nameOf));
  const { apple } = config.providers;
  if (apple.enabled && apple.secret.includes('-----BEGIN')) {
    const needed = ['externalAppleTeamId', 'externalAppleKeyId'] as const;
    const missing = needed.filter((key) => config[key] === '').map((key) => nameOf(key));
    if (missing.length > 0) {
      const name = nameOf('providers', 'apple', 'secret');
      note(name, `${name} is a private key, which cannot sign secrets without ${missing.join(' and ')}.`);
    }
  }
  for (const provider of providerNames) {
    const { enabled, ...rest } = config.providers[provider];
    if (!enabled) continue;
    const needed = ['clientIds', 'secret', 'redirectUri', ...(provider === 'keycloak' ? ['url'] : [])] as const;
    const missing = needed.filter((field) => rest[field as 'url'].length === 0);
    if (missing.length === 0) continue;
    const name = nameOf('providers', provider, 'enabled');
    const names = missing.map((field) => nameOf('providers', provider, field)).join(', ');
    note(name, `${name} is on, but sign-in with ${provider} fails without ${names}.`);
  }
}
