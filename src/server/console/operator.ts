/** Who calls the console: the session in the cookie, its operator and role. */
import { readOperatorSession } from '../../db/operator-sessions.js';
import { apiError } from '../errors.js';
import { hashBrowserSecret, isBrowserSecret, makeBrowserSecret } from '../external/flow-state.js';
import { type ApiRequest, type CallerRules, type OperatorRole, operatorRoles } from '../http/types.js';
import type { App } from '../runtime/app.js';
import { isConsoleSecure } from './console-address.js';

export interface OperatorIdentity {
  readonly id: string;
  readonly name: string;
  readonly role: OperatorRole;
}

export interface OperatorCaller extends OperatorIdentity {
  readonly sessionId: string;
  readonly sessionHash: string;
  /** passkey, password or link. */
  readonly method: string;
  readonly hasPassword: boolean;
  /** Has a passkey or a password; only the operator of a development server may have none. */
  readonly hasFactor: boolean;
  /** Seconds since a passkey, or password and code, was shown. */
  readonly provenSecondsAgo: number;
  /** RFC 3339. */
  readonly endsAt: string;
}

/** How long a session lives when nobody uses it, and at most. */
export const operatorSessionTimes = { idleSeconds: 1800, lifeSeconds: 43_200 } as const;

/** How long a shown passkey or code counts for what asks for one. */
export const STEP_UP_SECONDS = 600;

/** On requests that the page sends by itself, which do not keep the session alive. */
export const BACKGROUND_HEADER = 'x-latchkey-background';

const cookieName = ({ config }: Pick<App, 'config'>): string =>
  isConsoleSecure(config) ? '__Host-latchkey-console' : 'latchkey-console';

/** The header that sets the cookie. @param token null: removes it */
export function sessionCookie(app: Pick<App, 'config'>, token: string | null): Readonly<Record<string, string>> {
  const secure = isConsoleSecure(app.config) ? '; Secure' : '';
  const age = token === null ? 0 : operatorSessionTimes.lifeSeconds;
  const cookie = `${cookieName(app)}=${token ?? ''}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`;
  return { 'Set-Cookie': cookie };
}

/** A new token of 256 bits, and what is stored of it. */
export function newOperatorSecret(): { readonly token: string; readonly hash: string } {
  const token = makeBrowserSecret();
  return { token, hash: hashBrowserSecret(token) };
}

/** @throws ApiError operatorSignedOut */
export function readSessionToken(app: Pick<App, 'config'>, request: Pick<ApiRequest, 'header'>): string {
  const prefix = `${cookieName(app)}=`;
  for (const pair of (request.header('cookie') ?? '').split(';')) {
    const text = pair.trim();
    if (text.startsWith(prefix) && isBrowserSecret(text.slice(prefix.length))) return text.slice(prefix.length);
  }
  throw apiError('operatorSignedOut');
}

/**
 * The only authorization of operators (SEC-59).
 * @param admits the role that the endpoint asks for, and whether it asks for a step-up
 * @throws ApiError operatorSignedOut, operatorRoleTooLow, operatorStepUpNeeded
 */
export async function authenticateOperator(
  app: Pick<App, 'db'>,
  token: string,
  request: { header(name: string): string | undefined },
  { role = 'owner', needsStepUp }: CallerRules,
): Promise<OperatorCaller> {
  const sessionHash = hashBrowserSecret(token);
  const isUsed = request.header(BACKGROUND_HEADER) === undefined;
  const row = await readOperatorSession(app.db, sessionHash, operatorSessionTimes, isUsed);
  if (row === undefined) throw apiError('operatorSignedOut');
  const caller: OperatorCaller = {
    id: row.id,
    name: row.name,
    role: row.role as OperatorRole,
    sessionId: row.session_id,
    sessionHash,
    method: row.method,
    hasPassword: row.has_password,
    hasFactor: row.has_factor,
    provenSecondsAgo: row.proven_seconds_ago,
    endsAt: row.ends_at,
  };
  assertRole(caller, role);
  if (needsStepUp === true && !isProven(caller)) throw apiError('operatorStepUpNeeded');
  return caller;
}

/** Whether the operator has shown a passkey, or password and code, recently. */
export const isProven = ({ provenSecondsAgo }: OperatorCaller): boolean => provenSecondsAgo < STEP_UP_SECONDS;

/** Each role has the rights of those before it. */
export const hasRole = (operator: Pick<OperatorIdentity, 'role'>, role: OperatorRole): boolean =>
  operatorRoles.indexOf(operator.role) >= operatorRoles.indexOf(role);

/** @throws ApiError operatorRoleTooLow */
export function assertRole(operator: Pick<OperatorIdentity, 'role'>, role: OperatorRole): void {
  if (!hasRole(operator, role)) throw apiError('operatorRoleTooLow', { role });
}
