import { enrolTotp, type Session } from '../support/authenticator-app.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('an issuer of any characters is in the URI, and one that no QR code holds is refused', async (t) => {
  const server = await openTestServer(t);
  const session = (await server.post('/signup', { email: freshEmail(), password })).body as Session;
  const issuer = 'Äpfel & Birnen = 100 % #1';
  const { body } = await enrolTotp(server, session, { friendly_name: 'a', issuer });
  t.equal(new URL(body.totp.uri).searchParams.get('issuer'), issuer);
  t.notMatch(body.totp.qr_code, /[#%]/);
  t.match(await enrolTotp(server, session, { friendly_name: 'b', issuer: '界'.repeat(200) }), {
    status: 400,
    body: { error_code: 'validation_failed', msg: 'issuer is too long for a QR code' },
  });
});
