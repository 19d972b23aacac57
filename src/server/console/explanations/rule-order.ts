/** The rules of the most used endpoints, in the order in which their code checks them. */
import type { CheckName } from './check-names.js';

/** Method and route, with the grant of /token → checks. */
const orders: Readonly<Record<string, readonly CheckName[]>> = {
  'POST /token password': ['input', 'method', 'delay', 'credentials', 'ban', 'hook', 'confirmed'],
  'POST /token refresh_token': ['input', 'refresh_token', 'ban', 'session', 'assurance', 'reuse'],
  'POST /token pkce': ['input', 'flow', 'verifier', 'ban'],
  'POST /verify': ['input', 'code', 'ban', 'password_rules'],
  'GET /verify': ['input', 'code', 'ban'],
  'POST /signup': ['sign_up', 'password_rules', 'input', 'method', 'address', 'quota', 'duplicate', 'hook'],
  'POST /recover': ['method', 'input', 'address', 'quota'],
  'POST /ui/sign-in': ['origin', 'form', 'input', 'method', 'delay', 'credentials', 'ban', 'hook', 'confirmed'],
};

/** @returns empty where the order is not known */
export const ruleOrderOf = (method: string, route: string | null, grantType: string | null): readonly CheckName[] =>
  orders[`${method} ${route}${grantType === null ? '' : ` ${grantType}`}`] ?? [];
