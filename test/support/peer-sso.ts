/** Identity providers of companies in the tables of supabase/auth. */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { addPeerRow } from './peer-oauth.js';

const TIME = '2026-01-01T10:00:00.123456Z';
const times = { created_at: TIME, updated_at: TIME };

export interface PeerSsoProvider {
  readonly entityId: string;
  readonly xml: string;
  readonly domains?: readonly string[];
  /** Columns of auth.sso_providers that differ. */
  readonly provider?: Readonly<Record<string, unknown>>;
  /** Columns of auth.saml_providers that differ. */
  readonly saml?: Readonly<Record<string, unknown>>;
}

/** @returns its id */
export async function addPeerSsoProvider(
  admin: pg.Client,
  { entityId, xml, domains = [], provider = {}, saml = {} }: PeerSsoProvider,
): Promise<string> {
  const id = await addPeerRow(admin, 'sso_providers', { id: randomUUID(), ...times, ...provider });
  const of = { id: randomUUID(), sso_provider_id: id, ...times };
  await addPeerRow(admin, 'saml_providers', { ...of, entity_id: entityId, metadata_xml: xml, ...saml });
  for (const domain of domains) await addPeerRow(admin, 'sso_domains', { ...of, id: randomUUID(), domain });
  return id;
}

/** An account of a company, with its one identity. @returns its id */
export async function addPeerSsoUser(admin: pg.Client, providerId: string, subject: string, email: string) {
  const id = randomUUID();
  const provider = `sso:${providerId}`;
  await addPeerRow(admin, 'users', {
    ...{ id, aud: 'authenticated', role: 'authenticated', email, email_confirmed_at: TIME, is_sso_user: true },
    ...{
      raw_app_meta_data: { provider, providers: [provider] },
      raw_user_meta_data: {},
      is_anonymous: false,
      ...times,
    },
  });
  await addPeerRow(admin, 'identities', {
    ...{ id: randomUUID(), provider, provider_id: subject, user_id: id, ...times },
    identity_data: { sub: subject, email, email_verified: true, custom_claims: {} },
  });
  return id;
}
