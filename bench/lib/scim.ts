/** Provisioning through one token, and what others feel of it. */
import { randomUUID } from 'node:crypto';
import { signTestToken } from '../../test/support/tokens.js';
import { signUp } from './accounts.js';
import type { Run } from './command.js';
import { populate, query, statement } from './database.js';
import type { Account } from './requests.js';
import { Rig } from './rig.js';
import { addCompany, samlSettings } from './saml-load.js';
import { type EndedPerson, endPeople } from './scim-end.js';
import { patchBody, provision, provisionAll, ScimConnection, startProvisioning } from './scim-load.js';
import { configOf, type ServerUnderTest, startServer } from './servers.js';
import { storm } from './storm.js';

/** Beside which refreshes are measured. */
export const loads = { alone: 'alone', paced: 'paced', full: 'full' } as const;
export type Load = keyof typeof loads;

/** 5,000 people in a minute. */
export const PEOPLE_PER_SECOND = 5000 / 60;
export const REFRESHES_PER_SECOND = 300;
/** As many requests as an identity provider has under way. */
export const CONNECTIONS = 4;
const ACCOUNTS = 64;
const PATCHES = 100;
const ENDED = 20;

export interface ScimOptions {
  readonly people: number;
  readonly members: number;
  readonly turns: number;
  readonly seconds: number;
  readonly gates: boolean;
}

export interface ScimTurn {
  /** Of POST /token. */
  readonly p99Ms: Readonly<Record<Load, number>>;
  /** People a second, of those provisioned as fast as they are answered. */
  readonly peoplePerSecond: number;
}

export interface ScimFigures {
  /** For all of the people. */
  readonly providerSeconds: number;
  readonly organizationSeconds: number;
  /** Of each change of one member. */
  readonly memberMs: readonly number[];
  readonly turns: readonly ScimTurn[];
  readonly ended: readonly EndedPerson[];
}

interface Subject {
  readonly server: ServerUnderTest;
  /** Another process on the same database. */
  readonly other: ServerUnderTest;
  readonly databaseUrl: string;
  readonly secret: string;
}

/** @throws when an answer was not as expected */
export async function measureScim(run: Run, options: ScimOptions): Promise<ScimFigures> {
  const { database, root, progress } = run;
  const databaseUrl = await database.create('scim');
  const features = { SCIM_ENABLED: 'true', ORGANIZATIONS_ENABLED: 'true', RATE_LIMIT_SCIM: '1000000' };
  const started = { root, databaseUrl, cwd: database.directory, settings: { ...samlSettings(), ...features } };
  const server = await startServer(started);
  const other = await startServer(started);
  try {
    await populate(databaseUrl);
    const subject = { server, other, databaseUrl, secret: configOf(started).jwtSecret };
    const { idp, providerId } = await addCompany(server, subject.secret);
    const token = await makeToken(subject, `/admin/sso/providers/${providerId}/scim_tokens`, adminToken(subject));
    const accounts = await signUp(server.url, ACCOUNTS);
    const ended = await endPeople(server, other, token, idp, ENDED);
    progress(`${ENDED} people were ended`);
    const providerSeconds = await provisionAll(server.url, token, options.people, CONNECTIONS);
    progress(`${options.people} people of a provider: ${providerSeconds.toFixed(1)} s`);
    const owned = await makeOrganization(subject, accounts[0]!);
    const organizationSeconds = await provisionAll(server.url, owned, options.people, CONNECTIONS);
    progress(`${options.people} people of an organization: ${organizationSeconds.toFixed(1)} s`);
    const memberMs = await changeMembers(subject, token, providerId, options.members);
    progress(`${PATCHES} changes of a group of ${options.members}`);
    const turns = await measureRefreshes(run, subject, token, accounts, options);
    return { providerSeconds, organizationSeconds, memberMs, turns, ended };
  } finally {
    await Promise.all([server.stop(), other.stop()]);
  }
}

const adminToken = ({ secret }: Subject): string => signTestToken({ role: 'service_role' }, secret);

async function post({ server }: Subject, path: string, bearer: string, body: object): Promise<Record<string, string>> {
  const answer = await fetch(server.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${text.slice(0, 300)}`);
  return JSON.parse(text) as Record<string, string>;
}

const makeToken = async (subject: Subject, path: string, bearer: string): Promise<string> =>
  (await post(subject, path, bearer, { name: 'bench' }))['token']!;

/** @returns the token of a new organization, to which the domain of the people belongs */
async function makeOrganization(subject: Subject, { accessToken }: Account): Promise<string> {
  const { id } = await post(subject, '/organizations', accessToken, { name: 'Bench' });
  const domain = { domain: 'bench.example', verified: true };
  await post(subject, `/admin/organizations/${id}/domains`, adminToken(subject), domain);
  return makeToken(subject, `/organizations/${id}/scim_tokens`, accessToken);
}

/** One member of a large group comes and goes. @returns milliseconds of each change */
async function changeMembers(
  { server, databaseUrl }: Subject,
  token: string,
  scopeId: string,
  members: number,
): Promise<number[]> {
  const connection = new ScimConnection(server.url, token);
  const one = await provision(connection, `${randomUUID()}@bench.example`);
  const made = await connection.want(201, 'POST', '/scim/v2/Groups', JSON.stringify({ displayName: 'Everybody' }));
  const { id } = JSON.parse(made.body) as { id: string };
  await query(databaseUrl, statement('bench-scim.crowd').text, [scopeId, id, members]);
  await query(databaseUrl, statement('bench-data.analyze').text);
  const add = patchBody({ op: 'Add', path: 'members', value: [{ value: one }] });
  const remove = patchBody({ op: 'Remove', path: `members[value eq "${one}"]` });
  const times: number[] = [];
  for (let n = 0; n < PATCHES; n += 1) {
    const fromMs = performance.now();
    await connection.want(204, 'PATCH', `/scim/v2/Groups/${id}`, n % 2 === 0 ? add : remove);
    times.push(performance.now() - fromMs);
  }
  connection.close();
  return times;
}

async function measureRefreshes(
  { database, progress }: Run,
  { server }: Subject,
  token: string,
  accounts: readonly Account[],
  { turns, seconds }: ScimOptions,
): Promise<ScimTurn[]> {
  const rig = new Rig(database, seconds);
  let chains = accounts;
  const refresh = async (): Promise<number> => {
    const { results } = await storm(rig, server, chains, { refresh: REFRESHES_PER_SECOND }, []);
    chains = results.refresh.accounts;
    return results.refresh.p99Ms;
  };
  const measured: ScimTurn[] = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    const p99Ms: Record<Load, number> = { alone: 0, paced: 0, full: 0 };
    let peoplePerSecond = 0;
    const order = Object.keys(loads) as Load[];
    for (const load of turn % 2 === 0 ? order.reverse() : order) {
      if (load === 'alone') p99Ms.alone = await refresh();
      else {
        const fromMs = performance.now();
        const beside = startProvisioning(server.url, token, CONNECTIONS, load === 'paced' ? PEOPLE_PER_SECOND : null);
        p99Ms[load] = await refresh();
        const people = await beside.stop();
        if (load === 'full') peoplePerSecond = (people * 1000) / (performance.now() - fromMs);
      }
    }
    measured.push({ p99Ms, peoplePerSecond });
    const show = (load: Load): string => p99Ms[load].toFixed(1);
    progress(`turn ${turn}/${turns}  refresh p99 ${show('alone')} ms, ${show('paced')} ms, ${show('full')} ms`);
  }
  return measured;
}
