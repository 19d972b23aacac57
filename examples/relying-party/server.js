/** A web application whose users sign in at Latchkey. README.md says how to start it. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import * as oidc from 'openid-client';

const { ISSUER = 'http://localhost:8081', PORT = '4000', CLIENT_ID, CLIENT_SECRET } = process.env;
const ORIGIN = `http://localhost:${PORT}`;
const REDIRECT_URI = `${ORIGIN}/callback`;
const SIGNED_OUT_URI = `${ORIGIN}/signed-out`;
const SCOPE = 'openid email profile';
const COOKIE = 'relying-party';

/** Browsers by the value of their cookie. Here a restart forgets them; use a database. */
const sessions = new Map();
const config = await findClient();

/** The client that an administrator has added; else this application registers itself, each time it starts. */
async function findClient() {
  const issuer = new URL(ISSUER);
  // Plain http is for this machine only.
  const options = issuer.protocol === 'http:' ? { execute: [oidc.allowInsecureRequests] } : {};
  const authentication = oidc.ClientSecretBasic();
  if (CLIENT_ID) {
    return oidc.discovery(issuer, CLIENT_ID, { client_secret: CLIENT_SECRET }, authentication, options);
  }
  const metadata = {
    client_name: 'Example shop',
    redirect_uris: [REDIRECT_URI],
    post_logout_redirect_uris: [SIGNED_OUT_URI],
    token_endpoint_auth_method: 'client_secret_basic',
  };
  return oidc.dynamicClientRegistration(issuer, metadata, authentication, options);
}

/** Sends the browser to the sign-in page. Verifier, state and nonce bind the answer to this browser. */
async function signIn(session) {
  session.pending = {
    pkceCodeVerifier: oidc.randomPKCECodeVerifier(),
    expectedState: oidc.randomState(),
    expectedNonce: oidc.randomNonce(),
  };
  const { pkceCodeVerifier, expectedState, expectedNonce } = session.pending;
  const address = oidc.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    scope: SCOPE,
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  return { to: address.href };
}

/** The browser is back. The library checks state, issuer, nonce and the ID token. */
async function finishSignIn({ id, pending }, url) {
  if (!pending) return { to: '/' };
  // A new cookie, so that nobody is signed in whose cookie was known before.
  sessions.delete(id);
  const tokens = await oidc.authorizationCodeGrant(config, url, { ...pending, idTokenExpected: true });
  const session = openSession();
  keepTokens(session, tokens);
  session.person = tokens.claims();
  return { to: '/', session };
}

/** Access tokens live for an hour; the refresh token gets new ones until the user takes it back. */
async function renew(session) {
  try {
    keepTokens(session, await oidc.refreshTokenGrant(config, session.tokens.refresh_token));
    return { html: show('Renewed', '<p>There is a new access token.</p><p><a href="/">Back</a></p>') };
  } catch (error) {
    if (error.error !== 'invalid_grant') throw error;
    return forget(session);
  }
}

function forget(session) {
  sessions.delete(session.id);
  return { html: show('Signed out', '<p>The access was taken back.</p><p><a href="/">Back</a></p>') };
}

/** Each refresh token works once, so the new one replaces it. The ID token stays: it names the session at the sign-out. */
function keepTokens(session, { access_token, refresh_token, id_token = session.tokens?.id_token }) {
  session.tokens = { access_token, refresh_token, id_token };
}

const readProfile = ({ tokens, person }) => oidc.fetchUserInfo(config, tokens.access_token, person.sub);

/** Asks for the profile each time, so that it is up to date and the user's access is noticed to be gone. */
async function home(session) {
  if (!session.person) return { html: show('Example shop', '<p><a href="/sign-in">Sign in</a></p>') };
  let profile;
  try {
    profile = await readProfile(session);
  } catch {
    // An old token is refused as well as one whose access was taken back; the refresh token tells.
    const reply = await renew(session);
    if (!sessions.has(session.id)) return reply;
    profile = await readProfile(session);
  }
  const account = `${ISSUER}/ui/account?${new URLSearchParams({ redirect_to: `${ORIGIN}/` })}`;
  return {
    html: show(
      `Hello ${profile.email}`,
      `<form method="post" action="/renew"><button>Renew the tokens</button></form>
<form method="post" action="/sign-out"><button>Sign out</button></form>
<p><a href="${escapeHtml(account)}">Your account</a></p>
<pre>${escapeHtml(JSON.stringify(session.person, null, 2))}</pre>`,
    ),
  };
}

/** Ends the session here, then that at Latchkey (OpenID Connect RP-Initiated Logout), whose tokens work no more. */
function signOut({ id, tokens }) {
  sessions.delete(id);
  if (!tokens) return { to: '/' };
  const fresh = openSession();
  fresh.signingOut = oidc.randomState();
  const address = oidc.buildEndSessionUrl(config, {
    id_token_hint: tokens.id_token,
    post_logout_redirect_uri: SIGNED_OUT_URI,
    state: fresh.signingOut,
  });
  return { to: address.href, session: fresh };
}

/** The browser is back. Anybody can send one here, so only the state shows that it comes from the sign-out. */
function finishSignOut(session, url) {
  const isOurs = session.signingOut !== undefined && url.searchParams.get('state') === session.signingOut;
  session.signingOut = undefined;
  return isOurs ? { html: show('Signed out', '<p>You have signed out.</p><p><a href="/">Back</a></p>') } : { to: '/' };
}

/** SameSite=Lax keeps other sites from sending the forms. */
const routes = {
  'GET /': home,
  'GET /sign-in': signIn,
  'GET /callback': finishSignIn,
  'POST /renew': (session) => (session.tokens ? renew(session) : { to: '/' }),
  'POST /sign-out': signOut,
  'GET /signed-out': finishSignOut,
};

function openSession() {
  const session = { id: randomUUID() };
  sessions.set(session.id, session);
  return session;
}

const escapeHtml = (text) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
const show = (title, content) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>${escapeHtml(title)}</title><h1>${escapeHtml(title)}</h1>${content}</html>`;

async function answer(request, response) {
  const url = new URL(request.url, ORIGIN);
  const route = routes[`${request.method} ${url.pathname}`];
  if (!route) return response.writeHead(404).end();
  const known = new RegExp(`(?:^|; )${COOKIE}=([^;]*)`).exec(request.headers.cookie ?? '')?.[1];
  let session = sessions.get(known) ?? openSession();
  let reply;
  try {
    reply = await route(session, url);
  } catch (error) {
    const reason = escapeHtml(error.error_description ?? error.message);
    reply = { status: 400, html: show('That did not work', `<p>${reason}</p><p><a href="/">Back</a></p>`) };
  }
  session = reply.session ?? session;
  response.setHeader('Set-Cookie', `${COOKIE}=${session.id}; Path=/; HttpOnly; SameSite=Lax`);
  if (reply.to) return response.writeHead(303, { Location: reply.to }).end();
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' };
  response.writeHead(reply.status ?? 200, headers).end(reply.html);
}

const server = createServer((request, response) => void answer(request, response));
server.listen(Number(PORT), 'localhost', () => console.log(`Open ${ORIGIN}`));
