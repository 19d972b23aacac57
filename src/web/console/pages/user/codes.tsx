import type { UserCode } from '../../core/user.js';
import { type Column, List } from '../../parts/list.js';
import { Time } from '../../parts/time.js';

/** What a code or link is good for. Kinds of another release are shown as they are. */
const purposes: Readonly<Record<string, string>> = {
  confirmation: 'confirm the account',
  recovery: 'sign in, or a new password',
  email_change_current: 'a new address, at the old one',
  email_change_new: 'a new address, at the new one',
  phone_change: 'a new number',
  reauthentication: 'confirm that it is the user',
};

const formOf = ({ has_link, has_code, wrong_tries }: UserCode): string => {
  const form = has_link ? (has_code ? 'link and code' : 'link') : has_code ? 'code' : 'used up by wrong tries';
  return wrong_tries === 0 ? form : `${form}, wrong tries: ${wrong_tries}`;
};

const columns: readonly Column<UserCode>[] = [
  { title: 'For', cell: ({ kind }) => purposes[kind] ?? kind },
  { title: 'Sent to', cell: ({ recipient }) => (recipient.includes('@') ? recipient : `+${recipient}`) },
  { title: 'As', from: 'medium', cell: formOf },
  { title: 'Sent', from: 'medium', cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Valid until', cell: ({ expires_at }) => <Time at={expires_at} /> },
];

/** Codes and links of the user that can still be redeemed; they themselves are stored as hashes. */
export const UserCodes = ({ codes }: { readonly codes: readonly UserCode[] }) => (
  <section>
    <h2>Codes that are out</h2>
    {codes.length === 0 ? (
      <p class="muted">None: no code or link that was sent can be redeemed any more.</p>
    ) : (
      <List label="Codes that are out" rows={codes} columns={columns} keyOf={({ kind }) => kind} />
    )}
  </section>
);
