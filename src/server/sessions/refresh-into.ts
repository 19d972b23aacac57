/** Refreshes that also change the organization that the session acts for. */
import { within } from '../../db/rehearse.js';
import { type OwnedSession, redeemGeneration } from '../../db/sessions.js';
import type { Database, Statements } from '../../db/types.js';
import type { App, Client } from '../runtime/app.js';
import { enterNamed } from './active-organization.js';
import { decideClaims, writeDecided } from './decided-claims.js';
import { renderSessionClaims } from './open.js';
import { signOwned } from './redeem-and-sign.js';
import {
  answerRefreshed,
  answerRepeatedToken,
  checkToken,
  ownRules,
  REPEATED,
  ROTATED,
  readMovedToken,
} from './refresh.js';
import { openRefreshToken } from './refresh-token.js';

type Enter = (db: Database) => Promise<OwnedSession | undefined>;

/**
 * The refresh_token grant with `organization_id`. Where the user is no member of it, or it does not admit the session, the token
 * stays as it was.
 * @param named id of the organization; empty: none
 * @returns the token response as JSON
 * @throws ApiError notAMember, organizationRequiresAal2, organizationRequiresSso, organizationSessionExpired, and those of
 *   refreshTokens()
 */
export async function refreshIntoOrganization(
  app: App,
  client: Client,
  text: string,
  named: string,
): Promise<Uint8Array> {
  const own = openRefreshToken(text, app.keys.refreshToken.accepted(Date.now()));
  const token = own ?? (await readMovedToken(app, text));
  if (app.config.sessionsAllowLowAalSeconds !== null) await checkToken(app, client, token);
  const redeem: Enter = (db) =>
    db.transaction(async (statements) => {
      const owned = await redeemGeneration(within(db, statements), token, client, ownRules(app), undefined);
      return owned && enter(app, statements, owned, named);
    });
  const redeemed = await writeWithClaims(app, client, redeem);
  if (redeemed !== undefined) return answer(app, client, redeemed, ROTATED);
  const repeated = await answerRepeatedToken(app, client, token);
  const enterAgain: Enter = (db) => db.transaction((statements) => enter(app, statements, repeated, named));
  const again = await writeWithClaims(app, client, enterAgain);
  return answer(app, client, again!, REPEATED);
}

async function enter(app: App, statements: Statements, owned: OwnedSession, named: string): Promise<OwnedSession> {
  const organization = await enterNamed(app, statements, owned.user, owned.session, named);
  return { ...owned, session: { ...owned.session, organization } };
}

const writeWithClaims = (app: App, client: Client, write: Enter) =>
  writeDecided(app, write, ({ user, session }) => decideClaims(app, client, user, session, 'token_refresh'));

type Decided = NonNullable<Awaited<ReturnType<typeof writeWithClaims>>>;

const answer = (
  app: App,
  client: Client,
  { row: owned, decided }: Decided,
  audit: typeof ROTATED,
): Promise<Uint8Array> =>
  answerRefreshed(
    app,
    client,
    signOwned(app, { sessionId: owned.session.session_id }, owned, () => decided ?? renderSessionClaims(app, owned)),
    audit,
  );
