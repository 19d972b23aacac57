/**
 * The claims of access tokens where the hook custom_access_token is on. The hook is asked before anything is written,
 * and while no connection is held (docs/decisions.md, Hooks).
 */
import { rehearseWrite, repeatSignIn } from '../../db/rehearse.js';
import type { OwnedSession } from '../../db/sessions.js';
import type { Database } from '../../db/types.js';
import type { SessionColumns, SessionFacts, SignedInRow, UserRow } from '../../db/user-rows.js';
import { MAX_TOKEN_BYTES } from '../../jws/token-limit.js';
import { apiError } from '../errors.js';
import type { Claims, RememberedClaims } from '../hooks/contract.js';
import { notingDevice } from '../notices/new-device.js';
import { joiningByDomain } from '../organizations/join-by-domain.js';
import type { App, Client } from '../runtime/app.js';
import { enteringOrganization } from './active-organization.js';
import { claimsOfOrganizations } from './organization-claims.js';
import { type RenderedClaims, renderClaims } from './token-claims.js';
import { payloadTokenBytes } from './token-size.js';
import { toldMetadata } from './told-metadata.js';
import { recognisingDevice } from './trusted-device.js';

/** The hook's decision needs settings and the hook only. */
type Deciding = Pick<App, 'config' | 'hooks' | 'organizationRoles'>;
type SigningIn = Pick<
  App,
  'db' | 'keys' | 'mail' | 'sms' | 'joinDomains' | 'countSignIn' | 'countAuditEvent' | 'clientAddress' | 'log'
>;

export interface SignedIn {
  readonly row: SignedInRow;
  /** The claims by the hook, of the time it was asked; null: the usual claims. */
  readonly decided: RenderedClaims | null;
}

type WrittenRow = UserRow & Partial<SessionColumns>;

/**
 * Signs in. With the hook the write is rehearsed first, to know the claims that the hook is asked about; if the hook
 * refuses, nothing was written.
 * @param givenWrite the whole write of the sign-in, with this database; it runs twice
 * @param hasOtherNotice another notice tells the user of this sign-in
 * @returns undefined when the write returned no row
 * @throws ApiError of the hook, and what the write throws
 */
export async function signInWithClaims(
  app: Deciding & SigningIn,
  client: Client,
  givenWrite: (db: Database) => Promise<WrittenRow | undefined>,
  hasOtherNotice = false,
): Promise<SignedIn | undefined> {
  const joining = joiningByDomain(app, client, recognisingDevice(app, client, givenWrite));
  const entering = enteringOrganization(app, client, joining.write);
  const write = notingDevice(app, client, entering, hasOtherNotice);
  const signedIn = await writeDecided(
    app,
    async (db) => (await write(db)) as SignedInRow | undefined,
    (planned) => decideClaims(app, client, planned, planned, planned.amr[0]?.method ?? 'password'),
    async ({ session_id }) => (await repeatSignIn(app.db, session_id, write)) as SignedInRow | undefined,
  );
  if (signedIn === undefined) return undefined;
  noteSignIn(app, client, signedIn.row);
  joining.logJoining();
  return signedIn;
}

/**
 * Writes. With the hook the write is rehearsed first, and the hook asked about its row, before anything is written and while no
 * connection is held.
 * @param write the whole write, with this database; it may run twice
 * @param decide the claims that the hook wants
 * @param repeat the write after the rehearsal
 * @returns undefined when the write returned no row; claims are null without the hook
 * @throws ApiError of the hook, and what the write throws
 */
export async function writeDecided<Row>(
  app: Deciding & Pick<App, 'db'>,
  write: (db: Database) => Promise<Row | undefined>,
  decide: (planned: Row) => Promise<RenderedClaims>,
  repeat: (planned: Row) => Promise<Row | undefined> = () => write(app.db),
): Promise<{ readonly row: Row; readonly decided: RenderedClaims | null } | undefined> {
  if (app.hooks.customAccessToken === null) {
    const row = await write(app.db);
    return row && { row, decided: null };
  }
  const planned = await rehearseWrite(app.db, write);
  if (planned === undefined) return undefined;
  const decided = await decide(planned);
  const row = await repeat(planned);
  return row && { row, decided };
}

/** Counts and logs a sign-in, with the ids by which its later requests are found. A second factor is none of its own. */
function noteSignIn(
  { countSignIn, log }: Pick<App, 'countSignIn' | 'log'>,
  { requestId }: Client,
  { amr, id, session_id }: SignedInRow,
): void {
  if (amr.length !== 1) return;
  const { method } = amr[0]!;
  countSignIn?.(method);
  log.info({ component: 'sessions', request_id: requestId, user_id: id, session_id, login_method: method }, 'Login');
}

/**
 * The claims that the hook wants; call it only with the hook on. Their times are those of the question: the answer to the
 * client may leave in a later second.
 * @param method how the user signed in, or token_refresh
 * @throws ApiError of the hook; accessTokenTooLong
 */
export async function decideClaims(
  app: Deciding,
  client: Client,
  user: Readonly<UserRow>,
  session: SessionFacts,
  method: string,
): Promise<RenderedClaims> {
  const usual = renderUsual(app, user, session);
  const asked = readClaims(usual, user);
  const hook = app.hooks.customAccessToken!;
  const claims = await hook.decide({ asked, method, ip: client.ip, version: user.updated_at });
  return { ...usual, payload: renderDecided(app, asked, claims) };
}

/**
 * The claims by an earlier answer of the hook.
 * @throws ApiError accessTokenTooLong
 */
export const rememberedClaims = (
  app: Deciding,
  remembered: RememberedClaims,
  { user, session }: Pick<OwnedSession, 'user' | 'session'>,
): RenderedClaims => {
  const usual = renderUsual(app, user, session);
  const asked = readClaims(usual, user);
  return { ...usual, payload: renderDecided(app, asked, remembered.apply(asked)) };
};

const renderUsual = (app: Deciding, user: Readonly<UserRow>, session: SessionFacts): RenderedClaims =>
  renderClaims(user, session, app.config, Math.floor(Date.now() / 1000), claimsOfOrganizations(app, user, session));

/** What the hook is asked about: an address is verified only if it was proven. */
function readClaims({ payload }: RenderedClaims, user: Readonly<UserRow>): Claims {
  const claims = JSON.parse(payload) as Claims;
  const told = toldMetadata(user);
  // An account that is too large has no metadata in its tokens.
  const isTold = told === user.user_metadata || Object.keys(claims['user_metadata'] as object).length === 0;
  return isTold ? claims : { ...claims, user_metadata: told };
}

function renderDecided({ config }: Deciding, asked: Claims, answered: Claims): string {
  const role = config.mfaPendingRole;
  const { client_id, cnf, act, org_id } = asked;
  // A role that the hook gives would do away with the second factor that is required, a token without client_id or act may
  // do what only its user may, and one without cnf what its thief wants. Of which organization the rows are that a policy shows
  // says the session.
  const kept = {
    ...(asked['role'] === role && { role }),
    ...(client_id !== undefined && { client_id }),
    ...(cnf !== undefined && { cnf }),
    ...(act !== undefined && { act }),
    org_id,
  };
  const payload = JSON.stringify({ ...answered, ...kept });
  const size = payloadTokenBytes(config, payload);
  if (size > MAX_TOKEN_BYTES) throw apiError('accessTokenTooLong', { size, limit: MAX_TOKEN_BYTES });
  return payload;
}
