import { openExternalFlow } from '../support/external-flow.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';

t.test(
  'IDENTITY_LINKED names a provider that is linked by hand, once; linking by a verified address has no notice',
  async (t) => {
    const flow = await openExternalFlow(t, ['github', 'gitlab'], {
      MAILER_AUTOCONFIRM: 'true',
      SECURITY_MANUAL_LINKING_ENABLED: 'true',
      MAILER_NOTIFICATIONS_IDENTITY_LINKED_ENABLED: 'true',
    });
    const email = freshEmail();
    const { body } = await flow.post('/signup', { email, password });
    const as = flow.providers.person('github', { email: freshEmail(), subject: 77_001 });
    t.ok((await flow.link('github', body.access_token, { as })).fragment.get('access_token'));
    const notice = await flow.nextMail(email);
    t.equal(notice.subject, 'A new sign-in method was linked to your account');
    t.match(notice.text, /sign in to your account with github\./);
    t.notOk((await flow.link('github', body.access_token, { as })).fragment.get('access_token'), 'linked already');
    const same = flow.providers.person('gitlab', { email, subject: 77_002 });
    t.ok((await flow.signIn('gitlab', { as: same })).fragment.get('access_token'));
    await new Promise((resolve) => setTimeout(resolve, 300));
    t.equal(await flow.mailsTo(email), 1);
  },
);
