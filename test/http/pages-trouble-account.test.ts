/**
 * Changes of an account on its page, without scripts, with something going wrong at each form: a lost cookie, an expired
 * flow, Back, a double click, a second tab. Each change can be finished, is made once, and the address is kept.
 */

import { openAccountPage, pathOf } from '../support/account-page.js';
import { type Trouble, troublesOf } from '../support/hosted/troubles.js';
import { openMailFlow } from '../support/mail-flows.js';
import type { Form, PageBrowser } from '../support/page-browser.js';
import { cross, pickRows } from '../support/rows.js';
import { freshEmail, password } from '../support/server.js';
import { type Test, t } from '../support/tap.js';

const server = await openMailFlow(t, {
  PAGES_ENABLED: 'true',
  PAGES_ACCOUNT_DELETION_ENABLED: 'true',
  SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD: 'true',
  RATE_LIMIT_VERIFY: '100000',
  RATE_LIMIT_TOKEN_REFRESH: '100000',
});
const troubles = troublesOf(server);
/** More pages than any way to the end has. */
const MAX_PAGES = 12;
const NEXT_PASSWORD = 'another good password';

interface Person {
  readonly id: string;
  readonly email: string;
  readonly next: string;
}

type Asked = readonly [name: string, form: Form, fields: Record<string, string>];

interface Change {
  /** Part of the account page. */
  readonly part: string;
  /** Its forms, in their order. */
  readonly forms: readonly string[];
  /** @returns what the part asks for at present */
  readonly ask: (browser: PageBrowser, person: Person) => Promise<Asked>;
  readonly isDone: (person: Person) => Promise<boolean>;
  /** The entry of the audit log of which there is one; absent: what is saved twice is the same. */
  readonly once?: string;
}

const userOf = async ({ id }: Person) =>
  (await server.database.admin.query('select * from users where id = $1', [id])).rows[0];
const canSignIn = async ({ email }: Person, given: string): Promise<boolean> =>
  (await server.post('/token?grant_type=password', { email, password: given })).status === 200;

/** By address: how many of its mails were read, and the code of the last. */
const read = new Map<string, { readonly mails: number; readonly code: string | undefined }>();

/** @returns the last code that an address has got, waited for. What confirmed a sign-up is none. */
async function codeFor(to: string): Promise<string> {
  let { mails, code } = read.get(to) ?? { mails: 0, code: undefined };
  while (code === undefined || (await server.mailsTo(to)) > mails) {
    ({ code } = await server.nextMail(to));
    mails += 1;
  }
  read.set(to, { mails, code });
  return code;
}

const changes: Readonly<Record<string, Change>> = {
  'the name': {
    part: 'profile',
    forms: ['name'],
    ask: async (browser) => ['name', browser.form('Save name'), { name: 'Ann', action: 'name' }],
    isDone: async (person) => (await userOf(person)).user_metadata.name === 'Ann',
  },
  'the address': {
    part: 'profile',
    forms: ['new', 'at the old one', 'at the new one'],
    async ask(browser, person) {
      const { email, next } = person;
      const at = (to: string) => browser.forms.find(({ html }) => html.includes(`Code that was sent to ${to}`));
      const [old, other] = [at(email), at(next)];
      // Both forms stay until both codes were given.
      const isHalfDone = (await userOf(person)).email_change_confirmations > 0;
      if (old !== undefined && !isHalfDone)
        return ['at the old one', old, { code: await codeFor(email), action: 'confirm_current' }];
      if (other !== undefined) return ['at the new one', other, { code: await codeFor(next), action: 'confirm_new' }];
      return ['new', browser.form('New email'), { email: next, action: 'email' }];
    },
    isDone: async (person) => (await userOf(person)).email === person.next,
  },
  'the password': {
    part: 'password',
    forms: ['password'],
    ask: async (browser) => [
      'password',
      browser.form('/ui/account/password'),
      { current_password: password, password: NEXT_PASSWORD, action: 'save' },
    ],
    isDone: (person) => canSignIn(person, NEXT_PASSWORD),
  },
  'its end': {
    part: 'delete',
    forms: ['delete'],
    ask: async (browser, { email }) => ['delete', browser.form('/ui/account/delete'), { name: email }],
    isDone: async (person) => (await userOf(person)) === undefined,
    once: 'user_deleted',
  },
};

async function addPerson(): Promise<Person> {
  const email = freshEmail();
  await server.post('/signup', { email, password });
  const { code } = await server.nextMail(email);
  const { body } = await server.post('/verify', { type: 'signup', email, token: code });
  read.set(email, { mails: 1, code: undefined });
  return { id: body.user.id, email, next: freshEmail() };
}

/** @param place the form at which the trouble happens, once */
async function goThrough(t: Test, change: Change, place: string, trouble: Trouble): Promise<void> {
  const person = await addPerson();
  const browser = await openAccountPage(server.url, person.email, change.part);
  let happened = false;
  const seen: string[] = [];
  while (!(await change.isDone(person))) {
    seen.push(`${browser.status} ${browser.title}: ${browser.alert}`);
    if (seen.length > MAX_PAGES) throw new Error(`stuck: ${seen.join(' → ')}`);
    const signIn = browser.forms.find(({ html }) => html.includes('name="address"'));
    if (signIn !== undefined) {
      t.equal(signIn.fields['address'], person.email, 'the address is kept');
      await browser.send(signIn, { address: person.email, password });
    } else if (pathOf(browser) === `/ui/account/${change.part}` && browser.status === 200) {
      const [name, form, fields] = await change.ask(browser, person);
      if (name === place && !happened) {
        happened = true;
        await trouble(browser, form, fields);
      } else await browser.send(form, fields);
    } else await browser.open(`/ui/account/${change.part}`);
  }
  t.ok(happened, `the form was there: ${seen.join(' → ')}`);
  if (change.once === undefined) return;
  const { rows } = await server.database.admin.query(
    "select payload ->> 'action' as action from audit_log where payload ->> 'actor_id' = $1",
    [person.id],
  );
  t.equal(
    rows.filter(({ action }) => action === change.once).length,
    1,
    `${change.once} once: ${rows.map(({ action }) => action).join(' ')}`,
  );
}

const forms = Object.entries(changes).flatMap(([name, change]) => change.forms.map((form) => ({ name, change, form })));

for (const [{ name, change, form }, [troubleName, trouble]] of pickRows(cross(forms, Object.entries(troubles)), [
  ([form]) => form,
  ([, trouble]) => trouble,
])) {
  t.test(`${name}, with ${troubleName} at the form ${form}`, (t) => goThrough(t, change, form, trouble));
}
