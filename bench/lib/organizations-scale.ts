/** Lists, searches and activation where there are many organizations, members and memberships. */
import type { Run } from './command.js';
import { query, statement } from './database.js';
import { fillDatabase } from './growth-data.js';
import type { Account } from './requests.js';
import { startServer } from './servers.js';
import { openTokenMint, type SampledSession } from './tokens.js';

export interface ScaleFigure {
  readonly what: string;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

/** Of the user with the most; fewer where there are fewer organizations. */
const MEMBERSHIPS = 1000;
const ANSWERS = 200;
const CHUNK = 20_000;
const LARGEST = 'c0000000-0000-4000-8000-000000000001';

/** @throws when an answer was not 2xx */
export async function measureScale(run: Run, users: number): Promise<readonly ScaleFigure[]> {
  const databaseUrl = await fillDatabase(run, users);
  const companies = Math.floor(users / 10);
  const crowd = Math.floor(users / 20);
  await fillOrganizations(run, databaseUrl, { users, companies, crowd });
  const settings = { ORGANIZATIONS_ENABLED: 'true' };
  const options = { root: run.root, databaseUrl, cwd: run.database.directory, settings };
  const [session] = await query<SampledSession>(databaseUrl, statement('bench-organizations.session').text);
  const server = await startServer(options);
  const mint = openTokenMint(options);
  const account = mint.accountOf(session!, 0);
  const admin = { ...account, accessToken: mint.operatorToken() };
  const figures: ScaleFigure[] = [];
  const measure = async (what: string, who: Account, next: Source): Promise<void> => {
    const times = await time(server.url, who, next);
    const figure = { what, p50Ms: quantile(times, 0.5), p95Ms: quantile(times, 0.95) };
    figures.push(figure);
    run.progress(`${what}: p50 ${figure.p50Ms.toFixed(1)} ms, p95 ${figure.p95Ms.toFixed(1)} ms`);
  };
  const any = (most: number): number => 1 + Math.floor(Math.random() * most);
  const members = `/organizations/${LARGEST}/members`;
  const memberships = Math.min(MEMBERSHIPS, companies);
  try {
    await measure(`own organizations, of ${memberships}, a page`, account, pagesOf('/organizations'));
    await measure(`members, of ${crowd}, a page`, account, pagesOf(members));
    await measure('members, a page of 200', account, pagesOf(`${members}?limit=200`));
    await measure('members with a role, a page', account, pagesOf(`${members}?role=admin`));
    await measure(
      'members by the beginning of an address, one',
      account,
      () => `${members}?search=person-${any(crowd)}%40`,
    );
    await measure('members by the beginning of an address, many', account, () => `${members}?search=person-${any(9)}`);
    await measure('members by the beginning of a name', account, () => `${members}?search=person+number+${any(99)}`);
    await measure('all organizations, a page', admin, pagesOf('/admin/organizations'));
    await measure('all organizations by the beginning', admin, () => `/admin/organizations?search=company-${any(99)}`);
    await measure('organizations of a user, a page', admin, pagesOf(`/admin/users/${session!.user_id}/organizations`));
    const activation = (): string => `/organizations/${LARGEST.slice(0, -6)}${hex(any(memberships))}/activate`;
    await measure('activation', account, Object.assign(activation, { method: 'POST' }));
    return figures;
  } finally {
    await server.stop();
  }
}

const hex = (number: number): string => number.toString(16).padStart(6, '0');

interface Counts {
  readonly users: number;
  readonly companies: number;
  /** Members of the largest organization. */
  readonly crowd: number;
}

async function fillOrganizations({ progress }: Run, url: string, { users, companies, crowd }: Counts): Promise<void> {
  const fill = (name: string, ...values: number[]) => query(url, statement(`bench-organizations.${name}`).text, values);
  await fill('people');
  await fill('companies', companies);
  await fill('heavy', Math.min(MEMBERSHIPS, companies));
  for (let first = 1; first <= companies; first += CHUNK) {
    await fill('members', first, Math.min(companies, first + CHUNK - 1), users);
  }
  for (let first = 1; first <= crowd; first += CHUNK) await fill('crowd', first, Math.min(crowd, first + CHUNK - 1));
  await query(url, statement('bench-data.analyze').text);
  await query(url, 'checkpoint');
  progress(`${companies.toLocaleString('en')} organizations: filled and analysed`);
}

/** @returns the path of the next request, by the answer to the last one */
type Source = ((answer: { readonly next_cursor?: string | null }) => string) & { readonly method?: string };

/** Page after page, and from the beginning again. */
const pagesOf = (path: string): Source => {
  const joint = path.includes('?') ? '&' : '?';
  return ({ next_cursor: cursor }) => (cursor ? `${path}${joint}cursor=${encodeURIComponent(cursor)}` : path);
};

/** @returns milliseconds of each answer, one after another */
async function time(url: string, { accessToken }: Account, next: Source): Promise<number[]> {
  const times: number[] = [];
  let answer: { readonly next_cursor?: string | null } = {};
  // The first tenth only warms up.
  for (let count = -ANSWERS / 10; count < ANSWERS; count += 1) {
    const path = next(answer);
    const startMs = performance.now();
    const response = await fetch(url + path, {
      method: next.method ?? 'GET',
      headers: { authorization: `Bearer ${accessToken}` },
    });
    const text = await response.text();
    if (count >= 0) times.push(performance.now() - startMs);
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 300)}`);
    answer = JSON.parse(text);
  }
  return times;
}

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1]!;
