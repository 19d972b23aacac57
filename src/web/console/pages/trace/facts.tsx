import type { ComponentChildren } from 'preact';
import { type Detail, Details } from '../../parts/details.js';

type Told = Readonly<Record<string, unknown>>;

/** Said above the facts, or in the title. */
const SAID = ['message', 'cause', 'fault', 'rule', 'outcome', 'error', 'check'];

/** Names in words, in the order in which they are shown. Others come after them, as they are called. */
const labels: Readonly<Record<string, string>> = {
  status: 'Status',
  error_body: 'It said',
  sent_to: 'Sent to',
  sent: 'Parameters sent',
  received: 'Parameters received',
  uses_pkce: 'PKCE',
  uses_nonce: 'Nonce',
  state: 'State',
  method: 'Method',
  url: 'Address',
  client_authentication: 'Client secret sent by',
  sends_verifier: 'PKCE verifier sent',
  content_type: 'Content type',
  bytes: 'Bytes',
  members: 'Members of the answer',
  scope: 'Scope granted',
  clock_ahead_seconds: 'Its clock is ahead by, in seconds',
  issuer: 'Issuer',
  authorization_endpoint: 'Authorization endpoint',
  token_endpoint: 'Token endpoint',
  userinfo_endpoint: 'Userinfo endpoint',
  jwks_uri: 'Keys',
  algorithm: 'Algorithm',
  key_id: 'Key id',
  nonce: 'Nonce',
  issued_seconds_ago: 'Issued, seconds ago',
  valid_for_seconds: 'Valid for, in seconds',
  claims: 'Claims',
  subject: 'Id of the person at the provider',
  addresses: 'Addresses',
  user_id: 'Account',
  email: 'Address of the account',
  accounts: 'Accounts that were found',
  claimed: 'What the provider vouches for',
  rules: 'Settings behind it',
  error_code: 'error_code',
  request_id: 'Request id',
  reply_address: 'Reply address (ACS)',
  name_id_format: 'Name ID format',
  force_authn: 'Sign in each time',
  authn_context: 'Way to sign in',
  is_disabled: 'Disabled',
  expected: 'Expected',
  found: 'Found',
  subject_from: 'Id from',
  email_from: 'Address from',
  is_domain_of_company: 'Its domain is of the company',
  user_metadata: 'user_metadata of a new account',
  app_metadata_sso: 'app_metadata.sso',
  unmapped: 'Attributes that nothing maps',
  shortened: 'Claims of which only the first value is kept',
  left_out: 'Too large to be kept',
};

const namesIn = (detail: Told): readonly string[] =>
  [...new Set([...Object.keys(labels), ...Object.keys(detail)])].filter(
    (name) => !SAID.includes(name) && detail[name] !== undefined && detail[name] !== null,
  );

/** Whether there is more than what is said above. */
export const hasFacts = (detail: Told): boolean => namesIn(detail).length > 0;

/** What is known of a step. */
export function Facts({ detail }: { readonly detail: Told }) {
  const names = namesIn(detail);
  const rowOf = (name: string): Detail => [labels[name] ?? name.replaceAll('_', ' '), show(name, detail)];
  return <Details rows={names.map(rowOf)} />;
}

function show(name: string, detail: Told): ComponentChildren {
  const value = detail[name];
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (name === 'user_id') return <a href={`/users/${String(value)}`}>{String(value)}</a>;
  // Only refusals are explained.
  if (name === 'request_id' && detail['error_code'] !== undefined) {
    return <a href={`/requests/${encodeURIComponent(String(value))}`}>{String(value)}</a>;
  }
  if (typeof value !== 'object' || value === null) return <code class="break">{String(value)}</code>;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    return value.length === 0 ? 'none' : <code class="break">{value.join(', ')}</code>;
  }
  if (isParameters(value)) return <Parameters of={value} />;
  return <pre class="break">{JSON.stringify(value, null, 2)}</pre>;
}

interface Parameter {
  readonly name: string;
  readonly value: string;
}

const isParameters = (value: object): value is readonly Parameter[] =>
  Array.isArray(value) && value.length > 0 && typeof value[0] === 'object' && value[0] !== null && 'name' in value[0];

const Parameters = ({ of }: { readonly of: readonly Parameter[] }) => (
  <ul class="parameters">
    {of.map(({ name, value }, i) => (
      <li key={i}>
        <code class="break">
          {name} = {value}
        </code>
      </li>
    ))}
  </ul>
);
