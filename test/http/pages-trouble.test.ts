/**
 * Every flow of the hosted pages, without scripts, with something going wrong at each of its forms: a lost cookie, an
 * expired flow, Back, a double click, a second tab. Each goes on to the application, and the address is kept.
 */
import { createHash } from 'node:crypto';
import { enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { goOnAs, type Person } from '../support/hosted/troubled-person.js';
import { EXPIRED_FLOW, type Trouble, troublesOf } from '../support/hosted/troubles.js';
import { openMailFlow } from '../support/mail-flows.js';
import { addClient, authorize, oauthSettings, redeem, type TestClient } from '../support/oauth-client.js';
import { type Form, PageBrowser } from '../support/page-browser.js';
import { pickRows } from '../support/rows.js';
import { freshEmail, password } from '../support/server.js';
import { type Test, t } from '../support/tap.js';

const server = await openMailFlow(
  t,
  oauthSettings({
    OAUTH_SERVER_AUTHORIZATION_PATH: '',
    PAGES_ENABLED: 'true',
    RATE_LIMIT_AUTHORIZE: '100000',
    RATE_LIMIT_OTP: '100000',
    RATE_LIMIT_VERIFY: '100000',
    RATE_LIMIT_TOKEN_REFRESH: '100000',
    SECURITY_MFA_THROTTLE: 'false',
  }),
);
const client: TestClient = await addClient(server);
const VERIFIER = 'v'.repeat(43);
const TARGET = 'http://localhost:3000/home';

/** A form of a flow: what is typed into it. */
type Step = (browser: PageBrowser, person: Person) => Promise<readonly [form: Form, fields: Record<string, string>]>;

const mailedCode = async ({ email }: Person): Promise<string> => (await server.nextMail(email)).code;

const steps = {
  password: async (browser, { email, password }) => [
    browser.form('/ui/sign-in'),
    { address: email, password, action: 'password' },
  ],
  askForCode: async (browser, { email }) => [
    browser.form('/ui/sign-in'),
    { address: email, password: '', action: 'code' },
  ],
  code: async (browser, person) => [
    browser.form('value="verify"'),
    { code: await mailedCode(person), action: 'verify' },
  ],
  signUp: async (browser, { email, password }) => [browser.form('/ui/sign-up'), { address: email, password }],
  recover: async (browser, { email }) => [browser.form('/ui/recover'), { address: email }],
  newPassword: async (browser, person) => {
    person.password = 'another good password';
    return [browser.form('/ui/password'), { password: person.password, action: 'save' }];
  },
  link: async (browser, { email }) => {
    const { pathname, search } = (await server.nextMail(email)).link!;
    await browser.open(pathname + search);
    return [browser.form('/ui/link'), {}];
  },
  factor: async (browser, { nextAppCode }) => [browser.form('/ui/mfa'), { code: nextAppCode!(), action: 'verify' }],
  choose: async (browser) => [browser.form('value="choose"'), { action: 'choose' }],
  consent: async (browser) => [browser.form('/ui/consent'), { action: 'approve' }],
} satisfies Record<string, Step>;

interface Flow {
  readonly steps: readonly (keyof typeof steps)[];
  /** Default: a confirmed account with a password. */
  readonly person?: () => Promise<Person>;
  /** Default: of an application, by /authorize. */
  readonly begin?: (person: Person) => Promise<PageBrowser>;
}

const newcomer = async (): Promise<Person> => ({ email: freshEmail(), password });

async function addPerson(): Promise<Person> {
  const email = freshEmail();
  await server.post('/signup', { email, password });
  await server.post('/verify', { type: 'signup', email, token: (await server.nextMail(email)).code });
  return { email, password };
}

async function addSecuredPerson(): Promise<Person> {
  const person = await addPerson();
  const { body } = await server.post('/token?grant_type=password', person);
  const { id, secret } = await enrolTotp(server, body as Session);
  const app = openApp(secret);
  await verifyWith(server, body as Session, id, app.nextCode());
  return { ...person, nextAppCode: app.nextCode };
}

async function comeFromApplication(page: string, browser = new PageBrowser(server.url)): Promise<PageBrowser> {
  const query = new URLSearchParams({
    provider: 'custom:hosted',
    redirect_to: TARGET,
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 's256',
  });
  await browser.open(`/authorize?${query}`);
  return page === 'sign-in' ? browser : browser.open(browser.url.replace('/sign-in', `/${page}`));
}

async function comeFromClient(): Promise<PageBrowser> {
  const { location } = await authorize(server, { clientId: client.id });
  return new PageBrowser(server.url).open(location.pathname + location.search);
}

const flows: Readonly<Record<string, Flow>> = {
  'sign-in with a password': { steps: ['password'] },
  'sign-in with a code': { steps: ['askForCode', 'code'] },
  'sign-in with the link of a mail': { steps: ['askForCode', 'link'] },
  'sign-in with a second factor': { steps: ['password', 'factor'], person: addSecuredPerson },
  'sign-up': { steps: ['signUp', 'code'], person: newcomer, begin: () => comeFromApplication('sign-up') },
  recovery: { steps: ['recover', 'code', 'newPassword'], begin: () => comeFromApplication('recover') },
  'an account of the browser': {
    steps: ['choose'],
    async begin(person) {
      const browser = await comeFromApplication('sign-in');
      await browser.send(...(await steps.password(browser, person)));
      return comeFromApplication('sign-in', browser);
    },
  },
  consent: { steps: ['password', 'consent'], begin: comeFromClient },
};

const troubles: Readonly<Record<string, Trouble>> = {
  nothing: (browser, form, fields) => browser.send(form, fields),
  ...troublesOf(server),
};

const cases = Object.entries(flows).flatMap(([flowName, flow]) =>
  Object.keys(troubles).flatMap((troubleName) => {
    // Without trouble all forms are sent in one go.
    const places = troubleName === 'nothing' ? [flow.steps.length] : [...flow.steps.keys()];
    return places.map((place) => ({ flowName, troubleName, place, step: flow.steps[place] ?? 'no form' }));
  }),
);
/** Each form of each flow, and each trouble. */
const seenCases = pickRows(cases, [({ flowName, place }) => `${flowName} ${place}`, ({ troubleName }) => troubleName]);

for (const { flowName, troubleName, place, step } of seenCases) {
  t.test(`${flowName}, with ${troubleName} at ${step}`, (t) =>
    goThrough(t, flows[flowName]!, place, troubles[troubleName]!, troubleName === EXPIRED_FLOW),
  );
}

/** @param place of the form at which the trouble happens; those before it go well */
async function goThrough(t: Test, flow: Flow, place: number, trouble: Trouble, isExpired: boolean): Promise<void> {
  const person = await (flow.person ?? addPerson)();
  const browser = await (flow.begin?.(person) ?? comeFromApplication('sign-in'));
  for (const [index, name] of flow.steps.slice(0, place + 1).entries()) {
    const [form, fields] = await steps[name](browser, person);
    await (index === place ? trouble(browser, form, fields) : browser.send(form, fields));
  }
  if (flow.steps[place] === 'consent' && browser.html.includes('was decided already')) {
    t.equal(browser.onward, '', 'a request is decided once');
    t.equal(await readDecision(browser), 'approved', 'and the first decision holds');
    return;
  }
  if (place === flow.steps.length) t.ok(browser.onward, 'every form of the flow was sent');
  await goOnAs(t, person, server, browser);
  if (isExpired && !browser.onward.includes('code=')) {
    t.equal(browser.onward, 'http://localhost:3000', 'an expired flow ends at SITE_URL');
    return;
  }
  t.equal(await redeemedBy(flow, browser.onward), person.email);
}

async function readDecision({ url }: PageBrowser): Promise<string> {
  const statement = 'select a.status from oauth_authorizations a join page_flows f on f.subject = a.id where f.id = $1';
  const { rows } = await server.database.admin.query(statement, [new URL(url).searchParams.get('flow')]);
  return rows[0]?.status;
}

/** @returns the address of the user that the application gets */
async function redeemedBy({ steps }: Flow, onward: string): Promise<string> {
  const code = new URL(onward).searchParams.get('code') ?? '';
  if (!steps.includes('consent')) {
    const { body } = await server.post('/token?grant_type=pkce', { auth_code: code, code_verifier: VERIFIER });
    return body.user?.email ?? JSON.stringify(body);
  }
  const { body } = await redeem(server, client, code);
  const { body: user } = await server.call('GET', '/oauth/userinfo', { bearer: body.access_token });
  return user.email ?? JSON.stringify(body);
}
