/**
 * Refreshes in batches, beside reuse, sign-out, bans and deletions, through several processes: every result must
 * match some sequential order of the same requests by the rules of docs/decisions.md, Refresh
 * tokens. The rules are implemented here again, in memory.
 */
import { randomInt } from 'node:crypto';
import { createTestDatabase } from '../support/database.js';
import { pickForm } from '../support/long-form.js';
import { spawnServer } from '../support/process.js';
import { call, freshEmail, openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const PEOPLE = 30;
const ROUNDS = pickForm({ short: 5, full: 10, long: 400 });
/** How many processes share the database: the rules without a reuse interval are fewer. */
const INSTANCES = pickForm({ short: { reusable: 2, strict: 1 }, full: { reusable: 3, strict: 3 } });

type Action = { kind: 'refresh'; generation: number } | { kind: 'logout' | 'ban' | 'unban' | 'delete' };
/** The result of a refresh: the generation of the token, or the error code; other actions have none. */
type Outcome = number | string;

interface Model {
  readonly generation: number;
  readonly isRevoked: boolean;
  readonly isBanned: boolean;
  /** The session's row, or the whole account, is gone. */
  readonly isGone: boolean;
}

function step(model: Model, action: Action, reusable: boolean): { next: Model; outcome: Outcome } {
  switch (action.kind) {
    case 'logout':
    case 'delete':
      return { next: { ...model, isGone: true }, outcome: '' };
    case 'ban':
      return { next: { ...model, isBanned: true }, outcome: '' };
    case 'unban':
      return { next: { ...model, isBanned: false }, outcome: '' };
    case 'refresh': {
      if (model.isGone) return { next: model, outcome: 'refresh_token_not_found' };
      if (model.isBanned) return { next: model, outcome: 'user_banned' };
      if (model.isRevoked) return { next: model, outcome: 'refresh_token_already_used' };
      const age = model.generation - action.generation;
      if (age === 0) {
        return { next: { ...model, generation: model.generation + 1 }, outcome: model.generation + 1 };
      }
      if (age === 1 && reusable) return { next: model, outcome: model.generation };
      return { next: { ...model, isRevoked: true }, outcome: 'refresh_token_already_used' };
    }
  }
}

/** Every final state of an order of the actions that has the observed outcomes. */
function explain(model: Model, seen: readonly { action: Action; outcome: Outcome }[], reusable: boolean): Model[] {
  if (seen.length === 0) return [model];
  return seen.flatMap(({ action, outcome }, index) => {
    const rest = seen.filter((_, other) => other !== index);
    // 503: nothing has changed.
    if (outcome === 'service_unavailable') return explain(model, rest, reusable);
    const { next, outcome: expected } = step(model, action, reusable);
    return expected === outcome ? explain(next, rest, reusable) : [];
  });
}

/** Opaque to clients; here its generation is read, to compare it with the model's. */
function generationOf(token: string): number {
  const bytes = Buffer.from(token, 'base64url').subarray(17, -16);
  return bytes.reduce((value, byte, index) => value + (byte & 127) * 2 ** (7 * index), 0);
}

function chooseActions(model: Model): Action[] {
  const actions: Action[] = [];
  for (let count = randomInt(1, 5); count > 0; count--) {
    const random = randomInt(100);
    // Now and then a token of one, two or three generations ago.
    const behind = random < 12 ? randomInt(1, 4) : 0;
    if (random < 86) actions.push({ kind: 'refresh', generation: Math.max(0, model.generation - behind) });
    else if (random < 90) actions.push({ kind: 'ban' });
    else if (random < 97) actions.push({ kind: 'unban' });
    else actions.push({ kind: random < 99 ? 'logout' : 'delete' });
  }
  return actions;
}

for (const [title, interval, reusable] of [
  ['with a reuse interval', '3600', true],
  ['without', '0', false],
] as const) {
  t.test(`REL-16: batched refreshes, ${title}, follow the rules of single ones`, async (t) => {
    const { url: databaseUrl, admin } = await createTestDatabase(t);
    // One connection: its statements run in sequence.
    let line: Promise<unknown> = Promise.resolve();
    const query = (text: string, id: string): Promise<unknown> => {
      line = line.then(() => admin.query(text, [id]));
      return line;
    };
    const environment = { SECURITY_REFRESH_TOKEN_REUSE_INTERVAL: interval, DB_MAX_POOL_SIZE: '4' };
    // The first of them is this process.
    const servers = await Promise.all([
      openTestServer(t, environment, () => databaseUrl),
      ...Array.from({ length: INSTANCES[reusable ? 'reusable' : 'strict'] - 1 }, () =>
        spawnServer(t, databaseUrl, environment),
      ),
    ]);
    const anyServer = () => servers[randomInt(servers.length)]!.url;

    /** A user with one session, and all its refresh tokens by generation. */
    async function makePerson() {
      const body = { email: freshEmail(), password: 'correct horse battery' };
      let answer = await call(anyServer(), 'POST', '/signup', { body });
      // A busy machine refuses some.
      while (answer.status === 503) answer = await call(anyServer(), 'POST', '/signup', { body });
      const signedUp = answer.body;
      const model: Model = { generation: 0, isRevoked: false, isBanned: false, isGone: false };
      const tokens = new Map<number, string>([[0, signedUp.refresh_token]]);
      return { id: signedUp.user.id as string, bearer: signedUp.access_token as string, tokens, model };
    }

    type Person = Awaited<ReturnType<typeof makePerson>>;
    async function act({ id, bearer, tokens }: Person, action: Action): Promise<Outcome> {
      if (action.kind !== 'refresh') {
        await change(query, id, action.kind, () => call(anyServer(), 'POST', '/logout', { bearer }));
        return '';
      }
      const body = { refresh_token: tokens.get(action.generation) };
      const answer = await call(anyServer(), 'POST', '/token?grant_type=refresh_token', { body });
      if (answer.status !== 200) return answer.body.error_code;
      const generation = generationOf(answer.body.refresh_token);
      tokens.set(generation, answer.body.refresh_token);
      return generation;
    }

    let people = await Promise.all(Array.from({ length: PEOPLE }, makePerson));
    let actions = 0;
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.all(
        people.map(async (person) => {
          const chosen = chooseActions(person.model);
          actions += chosen.length;
          const seen = await Promise.all(
            chosen.map(async (action) => ({ action, outcome: await act(person, action) })),
          );
          const [explained] = explain(person.model, seen, reusable);
          if (explained === undefined) {
            t.fail(`round ${round}: no order explains it`, { before: person.model, seen, reusable });
          } else person.model = explained;
        }),
      );
      if (!t.passing()) return;
      people = await Promise.all(
        people.map((person) => (person.model.isGone || person.model.isRevoked ? makePerson() : person)),
      );
    }
    t.pass(`${actions} actions were explained`);
    const { rows } = await admin.query('select id, generation::int, revoked_at is not null as revoked from sessions');
    t.ok(rows.length >= PEOPLE);
  });
}

async function change(
  query: (text: string, id: string) => Promise<unknown>,
  id: string,
  kind: Exclude<Action['kind'], 'refresh'>,
  logout: () => Promise<unknown>,
): Promise<void> {
  if (kind === 'ban') await query(`update users set banned_until = now() + interval '1 hour' where id = $1`, id);
  else if (kind === 'unban') await query('update users set banned_until = null where id = $1', id);
  else if (kind === 'delete') await query('delete from users where id = $1', id);
  // Signing out needs a valid session; the session of a banned user ends in the database.
  else {
    await logout();
    await query('delete from sessions where user_id = $1', id);
  }
}
