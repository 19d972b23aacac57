/** The statements of sql/queries/pages.sql. */
import type { Database } from './types.js';
import { type AmrEntry, runForUser, type SignedInRow } from './user-rows.js';

/** `account`: nothing but the sign-in; `manage`: the account page. */
export type PageFlowKind = 'account' | 'authorize' | 'consent' | 'device' | 'manage';

/** What follows a sign-in on the hosted pages. */
export interface PageFlow {
  readonly id: string;
  readonly kind: PageFlowKind;
  readonly redirect_to: string | null;
  readonly code_challenge: string | null;
  readonly code_challenge_method: string | null;
  /** Of consent: the authorization id; of device: the user code; of manage: the section, empty for the overview. */
  readonly subject: string | null;
  readonly languages: string;
  readonly address: string;
  readonly sent_type: string | null;
  readonly sent_seconds_ago: number | null;
  readonly wants_password: boolean;
  readonly browser_hash: string | null;
  readonly session_id: string | null;
  /** A second factor is asked for although the session has one. */
  readonly wants_factor: boolean;
}

export type NewPageFlow = Pick<PageFlow, 'id' | 'kind' | 'languages' | 'address'> & {
  readonly redirectTo: string | null;
  readonly pkce: { readonly challenge: string; readonly method: string } | null;
  readonly subject: string | null;
  readonly browserHash: string | null;
  readonly wantsPassword: boolean;
};

export async function insertPageFlow(db: Database, flow: NewPageFlow): Promise<void> {
  await db.run('pages.begin_flow', [
    flow.id,
    flow.kind,
    flow.redirectTo,
    flow.pkce?.challenge ?? null,
    flow.pkce?.method ?? null,
    flow.subject,
    flow.languages,
    flow.address,
    flow.browserHash,
    flow.wantsPassword,
  ]);
}

/** @returns undefined when there is none, or it is older than `validSeconds` */
export async function findPageFlow(db: Database, id: string, validSeconds: number): Promise<PageFlow | undefined> {
  return (await db.run<PageFlow>('pages.flow', [id, validSeconds]))[0];
}

/** @param sent what the flow remembers beside the address; a null type leaves what was sent before */
export async function noteAddress(
  db: Database,
  flowId: string,
  address: string,
  sent: { readonly type: string | null; readonly wantsPassword: boolean; readonly browserHash: string | null },
): Promise<void> {
  await db.run('pages.note_address', [flowId, address, sent.type, sent.wantsPassword, sent.browserHash]);
}

/** @param userCode of a device, as the person has typed it */
export async function chooseDevice(db: Database, flowId: string, userCode: string): Promise<void> {
  await db.run('pages.choose_device', [flowId, userCode]);
}

/** @param address that was typed; empty: the flow keeps its own */
export async function useSessionInFlow(
  db: Database,
  flowId: string,
  sessionId: string,
  address: string,
): Promise<void> {
  await db.run('pages.use_session', [flowId, sessionId, address]);
}

/** @param way back on the account page; with an address, which the sign-in begins with, unless null */
export async function noteReturn(
  db: Database,
  flowId: string,
  way: { readonly section: string; readonly wantsFactor: boolean; readonly address: string | null },
): Promise<void> {
  await db.run('pages.return_to', [flowId, way.section, way.wantsFactor, way.address]);
}

/** A second factor is asked for although the session has one. */
export async function noteFactorWanted(db: Database, flowId: string): Promise<void> {
  await db.run('pages.want_factor', [flowId]);
}

export async function notePasswordSet(db: Database, flowId: string): Promise<void> {
  await db.run('pages.password_set', [flowId]);
}

/** An account that is signed in in a browser. */
export interface BrowserAccount {
  readonly session_id: string;
  readonly user_id: string;
  readonly aal: string;
  readonly amr: readonly AmrEntry[];
  readonly email: string | null;
  readonly phone: string | null;
  readonly is_anonymous: boolean;
}

/** @param ages in seconds; null: no such limit */
export async function findBrowserAccounts(
  db: Database,
  secretHash: string,
  ages: { readonly unused: number; readonly timebox: number | null; readonly inactivity: number | null },
): Promise<readonly BrowserAccount[]> {
  const rows = await db.run<BrowserAccount & { needs_touch: boolean }>('pages.accounts', [
    secretHash,
    ages.unused,
    ages.timebox,
    ages.inactivity,
  ]);
  if (rows[0]?.needs_touch) await db.run('pages.touch_browser', [secretHash]);
  return rows;
}

/** Adds a session to a browser, whose secret changes. */
export async function rememberSession(
  db: Database,
  hashes: { readonly former: string; readonly next: string },
  session: { readonly id: string; readonly userId: string },
): Promise<void> {
  await db.run('pages.remember_session', [hashes.former, hashes.next, session.id, session.userId]);
}

export async function chooseSession(db: Database, secretHash: string, sessionId: string): Promise<void> {
  await db.run('pages.choose_session', [secretHash, sessionId]);
}

export async function forgetSession(db: Database, secretHash: string, sessionId: string): Promise<void> {
  await db.run('pages.forget_session', [secretHash, sessionId]);
}

/** @returns false when the session has ended */
export async function issuePageCode(
  db: Database,
  code: {
    readonly flowId: string;
    readonly userId: string;
    readonly sessionId: string;
    readonly codeHash: string;
    readonly challenge: string;
    readonly method: string;
    readonly redirectTo: string;
  },
): Promise<boolean> {
  const { flowId, userId, sessionId, codeHash, challenge, method, redirectTo } = code;
  const values = [flowId, userId, sessionId, codeHash, challenge, method, redirectTo];
  return (await db.run('pages.issue_code', values)).length === 1;
}

/** @returns undefined when the session has ended or the account is banned */
export async function openSessionLike(
  db: Database,
  source: { readonly userId: string; readonly sessionId: string },
  client: { readonly userAgent: string | null; readonly ip: string | null },
  audit: readonly object[],
): Promise<SignedInRow | undefined> {
  const { userAgent, ip } = client;
  const values = [source.userId, source.sessionId, userAgent, ip, JSON.stringify(audit)];
  return runForUser<SignedInRow>(db, 'pages.open_session_like', values);
}
