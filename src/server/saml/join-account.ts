/**
 * A person who signs in at a company for the first time, and has an account with the same address. Such accounts are apart, except where
 * an organization has proven the domain: whoever holds it could read the mail of the address, and so get into the account in any case.
 */
import { withLockedUser } from '../../db/account-locks.js';
import { insertMails } from '../../db/outbox.js';
import type { MailInput } from '../../db/outgoing.js';
import {
  findSsoAccountToJoin,
  linkSsoAccount,
  type SsoAccountToJoin,
  type SsoSignInInput,
  signInSso,
} from '../../db/sso.js';
import type { SsoProviderRow } from '../../db/sso-providers.js';
import type { Database, Statements } from '../../db/types.js';
import { type AuditEntry, auditEntry, storedAudit } from '../accounts/audit.js';
import { requireRow, StalePlanError } from '../external/stale-plan.js';
import { prepareNotices } from '../notices/notice.js';
import { allJoiningRoles } from '../organizations/joining-roles.js';
import type { App, Client } from '../runtime/app.js';

type JoiningProvider = Pick<SsoProviderRow, 'id' | 'organization_id' | 'roles' | 'role_mapping'>;

/**
 * @param email lower case
 * @returns undefined: none, so the person gets an account of the company
 */
export async function findAccountToJoin(
  { config }: Pick<App, 'config'>,
  statements: Statements,
  provider: JoiningProvider,
  email: string,
): Promise<SsoAccountToJoin | undefined> {
  const { id, organization_id: organizationId } = provider;
  if (organizationId === null || !config.organizationsEnabled) return undefined;
  return findSsoAccountToJoin(statements, `sso:${id}`, organizationId, email, allJoiningRoles(provider));
}

export interface AccountJoin {
  readonly audit: readonly AuditEntry[];
  readonly notices: readonly MailInput[];
  /** In place of signInSso(). @throws StalePlanError the account, the domain or the roles have changed */
  readonly write: (db: Database, input: SsoSignInInput) => ReturnType<typeof signInSso>;
}

/** Prepares the write of a sign-in that joins an account. */
export async function prepareJoin(
  app: App,
  client: Client,
  provider: JoiningProvider,
  account: SsoAccountToJoin,
  subject: string,
): Promise<AccountJoin> {
  const { id: userId, email } = account;
  const audit = [
    auditEntry({ ...account, fullName: account.full_name }, 'identity_linked', {
      provider: `sso:${provider.id}`,
      provider_id: subject,
      organization_id: provider.organization_id,
    }),
  ];
  const notices = await prepareNotices(app, client, [
    {
      kind: 'identity_linked_notification',
      to: { email, phone: null, data: account.user_metadata },
      facts: { provider: 'SAML' },
    },
  ]);
  return {
    audit,
    notices,
    write: (db, input) =>
      withLockedUser(db, userId, async (statements) => {
        const current = await findAccountToJoin(app, statements, provider, email);
        if (current?.id !== userId) throw new StalePlanError();
        const { provider: name, identityData } = input;
        await linkSsoAccount(statements, {
          userId,
          provider: name,
          subject,
          identityData,
          audit: storedAudit(app, audit),
        });
        await insertMails(statements, userId, notices);
        return requireRow(await signInSso(statements, input));
      }),
  };
}
