/** Counts sign-ins, sign-ups and refreshes of a thread, by day. */
import type { DayCount } from '../../db/figures.js';
import type { RequestRefusal } from '../http/options.js';

export interface DayCounter {
  /** @param method as in `amr` */
  countSignIn(method: string): void;
  countAuditEvent(action: string): void;
  countRefusal(refusal: Pick<RequestRefusal, 'route' | 'method' | 'grantType' | 'error'>): void;
  /** What was counted since the last call. */
  take(): readonly DayCount[];
  /** They could not be stored. */
  putBack(counts: readonly DayCount[]): void;
}

/** Audit event → what it counts as. */
const eventNames: Readonly<Record<string, string>> = { user_signedup: 'sign_up', token_refreshed: 'refresh' };

/** Where a sign-in can fail → its method; the grant of /token is added. */
const signInMethods: Readonly<Record<string, string>> = {
  'POST /token password': 'password',
  'POST /token pkce': 'oauth',
  'POST /token id_token': 'oauth',
  'POST /token web3': 'web3',
  'POST /verify': 'otp',
  'GET /verify': 'otp',
  'POST /verify/confirm': 'otp',
  'GET /callback': 'oauth',
  'POST /callback': 'oauth',
  'POST /passkeys/authentication/verify': 'passkey',
  'POST /ui/sign-in': 'password',
  'POST /ui/sign-in/passkey': 'passkey',
  'POST /ui/code': 'otp',
};
const signUps: ReadonlySet<string> = new Set(['POST /signup', 'POST /ui/sign-up']);

export function openDayCounter(now: () => number = Date.now): DayCounter {
  let counts = new Map<string, DayCount>();

  function add({ day, name, method, result, count }: DayCount): void {
    const key = `${day} ${name} ${method} ${result}`;
    counts.set(key, { day, name, method, result, count: count + (counts.get(key)?.count ?? 0) });
  }
  const one = (name: string, method: string, result: string) =>
    add({ day: new Date(now()).toISOString().slice(0, 10), name, method, result, count: 1 });

  return {
    countSignIn: (method) => one('sign_in', method, 'ok'),
    countAuditEvent(action) {
      const name = eventNames[action];
      if (name !== undefined) one(name, '', 'ok');
    },
    countRefusal({ method, route, grantType, error }) {
      const place = `${method} ${route}${grantType === undefined ? '' : ` ${grantType}`}`;
      const signIn = signInMethods[place];
      if (signIn !== undefined) one('sign_in', signIn, error.errorCode);
      else if (signUps.has(place)) one('sign_up', '', error.errorCode);
      else if (place === 'POST /token refresh_token') one('refresh', '', error.errorCode);
    },
    take() {
      const taken = [...counts.values()];
      counts = new Map();
      return taken;
    },
    putBack: (taken) => taken.forEach(add),
  };
}
