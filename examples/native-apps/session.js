/** Runs wherever there are fetch, URL and WebCrypto: Electron, Capacitor, React Native with polyfills, Node. */

const base64url = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** Latchkey has refused: trying again does not help. */
class Refusal extends Error {}

/**
 * @param url of Latchkey
 * @param redirectTo where the system opens the app, such as `com.example.app://signed-in`
 * @param storage the secure storage of the system: `get(name)`, `set(name, text)` and `remove(name)`, all asynchronous
 */
export function openSession({ url, redirectTo, storage }) {
  /** In memory only. */
  let access = null;
  let renewal = null;

  async function ask(path, body, token) {
    const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (response.ok) return response.status === 204 ? null : response.json();
    const { msg } = await response.json();
    // Too many requests, and faults of the server, pass.
    throw response.status === 429 || response.status >= 500 ? new Error(msg) : new Refusal(msg);
  }

  async function keep({ access_token, expires_at, refresh_token, user }) {
    // Stored before anything uses the access token: the former refresh token is used up.
    await storage.set('refresh-token', refresh_token);
    access = { token: access_token, expiresAt: expires_at };
    return user;
  }

  async function forget() {
    access = null;
    await storage.remove('refresh-token');
  }

  async function renew() {
    const refresh_token = await storage.get('refresh-token');
    if (refresh_token === null) return null;
    try {
      await keep(await ask('/token?grant_type=refresh_token', { refresh_token }));
      return access.token;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      await forget();
      return null;
    }
  }

  return {
    /** @returns the address to open in the browser of the system */
    async begin() {
      const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
      await storage.set('verifier', verifier);
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
      const query = new URLSearchParams({
        provider: 'custom:hosted',
        redirect_to: redirectTo,
        code_challenge: base64url(new Uint8Array(digest)),
        code_challenge_method: 's256',
      });
      return `${url}/authorize?${query}`;
    },

    /**
     * @param callback the address with which the system has opened the app
     * @returns the user; throws if the sign-in did not work, or was not begun here
     */
    async finish(callback) {
      const answer = new URL(callback).searchParams;
      const verifier = await storage.get('verifier');
      if (answer.get('code') === null || verifier === null) {
        throw new Error(answer.get('error_description') ?? 'This is not the answer to a sign-in');
      }
      await storage.remove('verifier');
      const proof = { auth_code: answer.get('code'), code_verifier: verifier };
      return keep(await ask('/token?grant_type=pkce', proof));
    },

    /** @returns a token that is valid for a minute at least, or null: sign in. Throws without a network */
    async accessToken() {
      if (access !== null && access.expiresAt - Date.now() / 1000 > 60) return access.token;
      // Screens that ask at the same time share one renewal.
      renewal ??= renew().finally(() => {
        renewal = null;
      });
      return renewal;
    },

    /** Ends this session, also without a network: then it ends here only. */
    async signOut() {
      const token = access?.token;
      await forget();
      if (token !== undefined) await ask('/logout?scope=local', {}, token).catch(() => {});
    },
  };
}
