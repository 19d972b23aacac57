/** Clients whose id is the address of a document about them (draft-ietf-oauth-client-id-metadata-document-00). */
import { findClient, type OauthClientRow, putDocumentClient } from '../../db/oauth-clients.js';
import { NIL_UUID } from '../../db/uuid.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import type { ClientDocument } from '../client-documents/contract.js';
import { ApiError, apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import {
  assertGrantsFit,
  type ClientFields,
  type GivenClient,
  readNewClient,
  USUAL_GRANT_TYPES,
} from './client-fields.js';
import { answersTo, clientKey, isDocumentUrl } from './client-id.js';
import { assertSameSector, assertSector } from './client-sector.js';
import type { GivenSubjectFields } from './client-subject-fields.js';
import { assertSubjects } from './subject.js';

/** Nobody has signed in. */
const ANYONE = { id: NIL_UUID, email: null, phone: null };

const TEXTS = ['client_name', 'client_uri', 'logo_uri', 'backchannel_logout_uri'] as const;
const SWITCHES = ['dpop_bound_access_tokens', 'backchannel_logout_session_required'] as const;
/** What such a client does not have: it keeps no secret with us (4.1). */
const SECRETS = ['client_secret', 'client_secret_expires_at'];

/**
 * The client that begins an authorization. Its document is read when the copy is too old; nothing but an authorization waits for
 * the network.
 * @param requestId for the audit log
 * @param clientId as presented
 * @throws ApiError authorizeClientInvalid, pairwiseUnavailable, overloaded
 */
export async function findAuthorizingClient(app: App, requestId: string, clientId: string): Promise<OauthClientRow> {
  const key = clientKey(app.config, clientId);
  if (key === null) throw invalid('invalid client_id format');
  const client = await findClient(app.db, key);
  if (!isDocumentUrl(app.config, clientId)) {
    if (client === undefined || !answersTo(client, clientId)) throw invalid('invalid client_id');
    return client;
  }
  if (client?.fresh_until != null && Date.parse(client.fresh_until) > Date.now()) return client;
  return readDocumentClient(app, requestId, key, clientId, client);
}

/**
 * Whether one of the resources is the id of a client with a document. An access token for it would have the audience, issuer,
 * key and subject of an ID token of that client (RFC 9700 4.9).
 */
export async function namesClient(
  { config, db }: Pick<App, 'config' | 'db'>,
  resources: readonly string[],
): Promise<boolean> {
  for (const resource of resources) {
    const key = isDocumentUrl(config, resource) ? clientKey(config, resource) : null;
    if (key !== null && (await findClient(db, key)) !== undefined) return true;
  }
  return false;
}

async function readDocumentClient(
  app: App,
  requestId: string,
  id: string,
  url: string,
  before: OauthClientRow | undefined,
): Promise<OauthClientRow> {
  const document = await app.clientDocuments.read(url);
  if ('fault' in document) throw explainFault(document.fault);
  const fields = await readDocument(app, url, document.members, before);
  const audit = [auditEntry(ANYONE, 'oauth_client_registered', { registration: 'dynamic', url, client_id: id })];
  const { freshSeconds } = document;
  const version = before?.version ?? null;
  const put = await putDocumentClient(app.db, { id, url, fields, freshSeconds, version }, storedAudit(app, audit));
  if (put?.isNew) logAudit(app, requestId, audit);
  const client = put?.client ?? (await findClient(app.db, id));
  if (client === undefined) throw invalid('invalid client_id');
  return client;
}

function explainFault(fault: 'unreadable' | 'noJson' | 'busy'): ApiError {
  if (fault === 'busy') return apiError('overloaded');
  return invalid(fault === 'noJson' ? 'its document is no JSON object' : 'its document cannot be read');
}

/** The fields of the client. What we do not support is left out, since one document is for all servers. */
async function readDocument(
  app: App,
  url: string,
  members: ClientDocument['members'],
  before: OauthClientRow | undefined,
): Promise<ClientFields> {
  if (members['client_id'] !== url) throw invalid('its document has another client_id');
  const method = members['token_endpoint_auth_method'] ?? 'none';
  if (method !== 'none') throw invalid('its document must have the token_endpoint_auth_method none');
  if (SECRETS.some((name) => name in members)) throw invalid('its document must not have a secret');
  if (before !== undefined) assertSubjects(app.config, before);
  const types = members['grant_types'] ?? USUAL_GRANT_TYPES;
  const given: GivenClient = {
    redirect_uris: readTexts(members['redirect_uris'], 'redirect_uris'),
    client_type: 'public',
    grant_types: readTexts(types, 'grant_types').filter((type) => USUAL_GRANT_TYPES.includes(type)),
    post_logout_redirect_uris: readTexts(members['post_logout_redirect_uris'] ?? [], 'post_logout_redirect_uris'),
    ...Object.fromEntries(TEXTS.flatMap((name) => (typeof members[name] === 'string' ? [[name, members[name]]] : []))),
    ...Object.fromEntries(SWITCHES.map((name) => [name, members[name] === true])),
    ...readSubjects(app, members, before),
  };
  try {
    const fields = readNewClient(app, given);
    const after = { ...fields, registration: 'dynamic', organization_id: null } as const;
    assertGrantsFit(after);
    if (before !== undefined) assertSameSector(before, { ...before, ...fields });
    await assertSector(app, after);
    return fields;
  } catch (error) {
    if (error instanceof ApiError && error.entry !== 'overloaded') {
      throw invalid(`its document is not valid: ${error.message}`);
    }
    throw error;
  }
}

/** Users would be others to the client if their names changed, so these follow the first document, and only where there is a salt. */
function readSubjects(
  { config }: App,
  { subject_type: type, sector_identifier_uri: uri }: ClientDocument['members'],
  before: OauthClientRow | undefined,
): GivenSubjectFields {
  const first = type === 'pairwise' && config.oauthServerPairwiseSalt !== '' ? 'pairwise' : 'public';
  if ((before?.subject_type ?? first) === 'public') return {};
  return { subject_type: 'pairwise', ...(typeof uri === 'string' && { sector_identifier_uri: uri }) };
}

function readTexts(value: unknown, name: string): readonly string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw invalid(`its document must have ${name} as a list of texts`);
}

const invalid = (reason: string): ApiError =>
  apiError('authorizeClientInvalid', {
    reason: reason.startsWith('invalid') ? reason : `invalid client_id: ${reason}`,
  });
