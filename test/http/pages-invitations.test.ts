/** Invitations to organizations on the hosted pages: by the link of the mail, and on the account page. */
import { openAccountPage, pathOf } from '../support/account-page.js';
import { openMailFlow } from '../support/mail-flows.js';
import { actWith } from '../support/organizations.js';
import { PageBrowser } from '../support/page-browser.js';
import { freshEmail } from '../support/server.js';
import { t } from '../support/tap.js';

const flow = await openMailFlow(t, {
  ORGANIZATIONS_ENABLED: 'true',
  PAGES_ENABLED: 'true',
  MAILER_AUTOCONFIRM: 'true',
  MAILER_URLPATHS_ORGANIZATION_INVITE: '/ui/link',
});
const {
  as,
  joinProven: join,
  found,
  addMember,
  url,
  nextMail,
} = actWith(flow) as ReturnType<typeof actWith> & typeof flow;
const owner = await join();
const id = await found(owner, '<b>Acme</b>');
const membersOf = async (email: string) =>
  (await as(owner, 'GET', `/organizations/${id}/members?search=${encodeURIComponent(email)}`)).body.members.length;
const inviting = async (email: string) =>
  (await as(owner, 'POST', `/organizations/${id}/invitations`, { email, redirect_to: 'https://app.example.com/team' }))
    .body.id as string;
const pageOf = async (email: string) => {
  const link = (await nextMail(email)).link!;
  t.equal(link.pathname, '/ui/link');
  return link.pathname + link.search;
};

t.test('the link shows who invites; a button joins and goes on to the application', async (t) => {
  const email = freshEmail();
  await inviting(email);
  const path = await pageOf(email);
  const browser = await new PageBrowser(url).open(path);
  t.equal(browser.title, 'Join <b>Acme</b>', 'a name is text');
  t.notMatch(browser.html, /<b>/);
  t.equal(browser.alert, '');
  t.equal(await membersOf(email), 0);
  await browser.send(browser.form('/ui/link'));
  t.equal(new URL(browser.onward).href, 'https://app.example.com/team');
  t.equal(await membersOf(email), 1);
  await browser.open(path);
  t.equal(browser.status, 403);
  t.equal(browser.alert, 'The link has expired or was used already.');
});

t.test('with another account: it says so, and goes on with the one that was invited', async (t) => {
  const [guest, email] = [await join(), freshEmail()];
  await inviting(email);
  const browser = await openAccountPage(url, guest.email);
  await browser.open(await pageOf(email));
  t.equal(
    browser.alert,
    `You are signed in as ${guest.email}, but the invitation is for ${email}. If you join, you continue as ${email}.`,
  );
  await browser.send(browser.form('/ui/link'));
  t.equal(await membersOf(email), 1);
  t.equal(await membersOf(guest.email), 0);
  await browser.open('/ui/account');
  t.match(browser.html, email);
});

t.test('the link declines without an account', async (t) => {
  const email = freshEmail();
  await inviting(email);
  const path = await pageOf(email);
  const browser = await new PageBrowser(url).open(path);
  const form = browser.form('/ui/link');
  await browser.send(form, { action: 'decline' });
  t.equal(browser.title, 'Declined');
  t.equal((await browser.send(form)).status, 403, 'it is over');
  t.equal((await flow.database.admin.query('select from users where email = $1', [email])).rowCount, 0);
});

t.test('one that gives nothing any more is not on offer, and its sender is told', async (t) => {
  const [guest, admin] = [await join(), await join()];
  const third = await found(owner, 'Third');
  await addMember(third, admin, 'admin');
  await as(admin, 'POST', `/organizations/${third}/invitations`, { email: guest.email });
  const path = await pageOf(guest.email);
  await as(owner, 'PATCH', `/organizations/${third}/members/${admin.id}`, { roles: ['member'] });
  const link = await new PageBrowser(url).open(path);
  t.equal(link.status, 403);
  t.equal(link.alert, 'The link has expired or was used already.');
  const browser = await openAccountPage(url, guest.email, 'invitations');
  t.match(browser.html, `There are no invitations for ${guest.email}.`);
  const sender = await openAccountPage(url, owner.email, `organizations/${third}/invitations`);
  t.match(sender.html, 'Cannot be accepted now');
  await sender.send(sender.form('entry_id'), { action: 'resend' });
  t.notMatch(sender.html, 'Cannot be accepted now');
  await browser.open('/ui/account/invitations');
  t.match(browser.html, 'Third');
});

t.test('the account page lists them, accepts and declines', async (t) => {
  const guest = await join();
  const other = await found(owner, 'Second');
  await as(owner, 'POST', `/organizations/${other}/invitations`, { email: guest.email });
  const browser = await openAccountPage(url, guest.email, 'invitations');
  t.match(browser.html, 'Second');
  const first = await inviting(guest.email);
  await browser.open('/ui/account/invitations');
  t.match(browser.html, '&#60;b&#62;Acme&#60;/b&#62;');
  t.notMatch(browser.html, /<b>/);
  const form = browser.form(first);
  await browser.send(form, { action: 'accept' });
  t.equal(pathOf(browser), '/ui/account/invitations');
  t.equal(browser.alert, 'You are a member now.');
  t.equal(await membersOf(guest.email), 1);
  await browser.send(browser.form('/invitations'), { action: 'decline' });
  t.equal(browser.alert, 'Declined.');
  t.match(browser.html, `There are no invitations for ${guest.email}.`);

  const { status } = await browser.send(form, { action: 'accept' });
  t.equal(status, 200, 'again: a member stays one');
  await as(owner, 'DELETE', `/organizations/${id}/members/${guest.id}`);
  await browser.send(form, { action: 'accept' });
  t.match(browser.alert, 'The invitation is over', 'it does not bring back who was removed');

  const foreign = await inviting(freshEmail());
  await browser.open(`/ui/account/invitations?invitation=${foreign}`);
  t.match(browser.alert, `is not for ${guest.email}`);
  t.match(browser.link('Use another account'), /account=other/);
  t.equal((await browser.send(form, { entry_id: foreign, action: 'accept' })).status, 403);
  t.equal(browser.alert, 'The invitation is for another address.');
  t.equal((await browser.send({ ...form, action: form.action }, { form_token: 'x', action: 'accept' })).status, 409);

  await flow.database.admin.query('update users set email_confirmed_at = null where id = $1', [guest.id]);
  await browser.open('/ui/account/invitations');
  t.notMatch(browser.html, /value="accept"/);
});
