/** What is imported from a supabase/auth server, in which order. */
import type { SupabaseAuthReader } from '../../../db/supabase-auth.js';
import type { FactorTables } from '../../../db/supabase-auth-factors.js';
import type { OauthTables } from '../../../db/supabase-auth-oauth.js';
import type { Database } from '../../../db/types.js';
import { countImported } from '../../../db/verify.js';
import type { CommandIo } from '../../cli/types.js';
import type { Config } from '../../config/settings.js';
import { accountStage } from '../../importing/account-stage.js';
import type { RowDefaults } from '../../importing/rows.js';
import { factorStage, passkeyStage } from './factor-stages.js';
import { openImportKeys } from './import-keys.js';
import { clientStage, consentStage, providerStage } from './oauth-stages.js';
import { type RunnableStage, runnable } from './run-import.js';
import { sessionStage } from './session-stage.js';
import {
  accountsOfPeer,
  clientsOfPeer,
  consentsOfPeer,
  factorsOfPeer,
  passkeysOfPeer,
  providersOfPeer,
  sessionsOfPeer,
  ssoProvidersOfPeer,
} from './sources.js';
import { ssoStage } from './sso-stage.js';

/** Where an import goes. */
export interface ImportTarget {
  readonly db: Database;
  readonly config: Config;
  readonly defaults: RowDefaults;
}

export interface PeerImportOptions {
  readonly wantsSessions: boolean;
  /** What is no longer there ends here, however much it is. */
  readonly mayEnd: boolean;
}

/**
 * Factors and clients come before sessions, so that no session is there without the factors of its user, or its client. Tables that an older release
 * does not have are left out with a sentence.
 * @throws Error when it seems to be another database than the one of earlier runs
 */
export async function openPeerStages(
  { db, config, defaults }: ImportTarget,
  peer: SupabaseAuthReader,
  io: Pick<CommandIo, 'err'>,
  { wantsSessions, mayEnd }: PeerImportOptions,
): Promise<RunnableStage[]> {
  const tables = await peer.findFactorTables();
  const oauth = await peer.findOauthTables();
  const hasSessions = await peer.hasSessions();
  const keys = openImportKeys(config);
  const onGone = (id: string) => io.err(`account ${id} has been deleted there, and is still here\n`);
  const stages = [runnable(accountStage(db, (from) => accountsOfPeer(peer, from, defaults), onGone))];
  if (tables.factors) {
    stages.push(runnable(factorStage(db, peer, (from) => factorsOfPeer(peer, tables, from, keys))));
  }
  if (tables.passkeys) stages.push(runnable(passkeyStage(db, peer, (from) => passkeysOfPeer(peer, from))));
  if (oauth.providers) stages.push(runnable(providerStage(db, (from) => providersOfPeer(peer, from, keys))));
  if (oauth.ssoProviders) stages.push(runnable(ssoStage(db, (from) => ssoProvidersOfPeer(peer, from))));
  if (oauth.clients) stages.push(runnable(clientStage(db, (from) => clientsOfPeer(peer, from, config))));
  if (oauth.consents) stages.push(runnable(consentStage(db, (from) => consentsOfPeer(peer, from))));
  if (wantsSessions && hasSessions) {
    stages.push(runnable(sessionStage(db, (from) => sessionsOfPeer(peer, from, keys))));
  }
  for (const line of nameAbsent({ ...tables, ...oauth }, wantsSessions && !hasSessions)) io.err(`${line}\n`);
  if (!mayEnd) await assertMostRemain(db, peer, { ...tables, ...oauth }, wantsSessions && hasSessions);
  return stages;
}

function nameAbsent(
  { factors, passkeys, recoveryCodes, clients, consents, providers, ssoProviders }: FactorTables & OauthTables,
  lacksSessions: boolean,
): string[] {
  return [
    ...(factors ? [] : ['There is no table mfa_factors: no second factors are imported.']),
    ...(passkeys ? [] : ['There is no table webauthn_credentials: no passkeys are imported.']),
    ...(recoveryCodes ? [] : ['There are no tables mfa_recovery_code_sets and mfa_recovery_codes: no recovery codes.']),
    ...(providers ? [] : ['There is no table custom_oauth_providers: no custom providers are imported.']),
    ...(ssoProviders
      ? []
      : ['There are no tables sso_providers, saml_providers and sso_domains: no SSO providers are imported.']),
    ...(clients ? [] : ['There is no table oauth_clients: no OAuth clients are imported.']),
    ...(consents || !clients ? [] : ['There is no table oauth_consents: no consents are imported.']),
    ...(lacksSessions
      ? ['There are no tables sessions, refresh_tokens and mfa_amr_claims: no sessions are imported.']
      : []),
  ];
}

/** The wrong database, or an empty one, would end every session and remove every factor. @throws Error */
async function assertMostRemain(
  db: Database,
  peer: SupabaseAuthReader,
  tables: FactorTables & OauthTables,
  hasSessions: boolean,
): Promise<void> {
  const here = await countImported(db);
  if (hasSessions) assertHalf('sessions', here.sessions, await peer.countSessions());
  if (tables.factors) assertHalf('second factors', here.factors, await peer.countFactors());
  if (tables.passkeys) assertHalf('passkeys', here.passkeys, await peer.countPasskeys());
  if (tables.providers) assertHalf('custom providers', here.providers, await peer.countProviders());
  if (tables.ssoProviders) assertHalf('SSO providers', here.sso_providers, await peer.countSsoProviders());
  if (tables.clients) assertHalf('OAuth clients', here.clients, await peer.countClients());
}

function assertHalf(what: string, here: number, there: number): void {
  if (2 * there >= here) return;
  throw new Error(
    `${here} ${what} that were imported earlier are here, and only ${there} are there. Is it the database they came from? ` +
      'With --end-missing, those that have ended there end here.',
  );
}
