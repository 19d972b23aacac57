/** What the author of a mail has to know: its variables with an example of each, and the built-in words. */
import type { Config } from '../config/settings.js';
import { type MailKind, mailRow } from '../message-kinds.js';
import { builtInBodies } from './bodies.js';
import { variablesOf } from './compose.js';
import type { MailMessage } from './contract.js';

export interface MailVariable {
  /** Without its point. */
  readonly name: string;
  readonly about: string;
  /** In the mail of the example; null: the example has none. */
  readonly example: string | null;
}

export interface KindGuide {
  readonly variables: readonly MailVariable[];
  readonly builtIn: { readonly subject: string; readonly body: string };
}

const meanings: Readonly<Record<string, string>> = {
  SiteURL: 'SITE_URL',
  Email: 'the address of the account',
  Token: 'the code, in digits',
  ConfirmationURL: 'the link',
  UndoURL: 'the link that undoes the change, while it is possible',
  TokenHash: 'the token of the link, for a link of your own',
  RedirectTo: 'where the link leads in the end',
  NewEmail: 'the new address',
  SendingTo: 'the address that this mail goes to',
  Data: 'user_metadata, such as .Data.full_name',
  Organization: 'the name of the organization',
  Inviter: 'the address of the inviter, or else the name',
  Roles: 'the roles that are offered, separated by commas',
  OldEmail: 'the address before',
  Phone: 'the number',
  OldPhone: 'the number before',
  Provider: 'the identity provider',
  FactorType: 'the kind of second factor',
  RemainingCodes: 'recovery codes that are left',
  RemovedPasskeys: 'passkeys that were removed as well',
  Domain: 'the domain',
  IP: 'the address of the client, where it is known',
  Device: 'browser and system, where they are known',
  Time: 'when it happened',
  ChangedByAdmin: 'true for a change of an administrator',
};

/** Variables of a kind that its example has not. */
const further: Partial<Record<MailKind, readonly string[]>> = {
  mfa_factors_reset_notification: ['RemovedPasskeys'],
};

/** @param message of an example */
export function guideOf(config: Config, message: MailMessage): KindGuide {
  const { kind } = message;
  const values = variablesOf(config, message);
  const given = Object.keys(values).filter((name) => name !== 'Token' || message.code !== '');
  return {
    variables: [...given, ...(further[kind] ?? [])].map((name) => ({
      name,
      about: meanings[name] ?? '',
      example: sayValue(values[name]),
    })),
    builtIn: { subject: mailRow(kind).subject, body: builtInBodies[kind] },
  };
}

function sayValue(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
