/** Browsers refuse cookies of more than 4,096 bytes, and a session may be longer. */
const PARTS = /.{1,3000}/g;

/** The longest that browsers allow. Latchkey decides when a session ends. */
const attributes = { path: '/', maxAge: 400 * 24 * 60 * 60 };

/**
 * Keeps what the client stores in cookies named key.0, key.1, and so on.
 * @param cookies of SvelteKit, which makes them HttpOnly, SameSite=Lax and, but for http://localhost, Secure
 */
export function cookieStorage(cookies) {
  const partsOf = (key) =>
    cookies
      .getAll()
      .map(({ name }) => name)
      .filter((name) => name.startsWith(`${key}.`));
  return {
    getItem(key) {
      const parts = partsOf(key).map((_, index) => cookies.get(`${key}.${index}`) ?? '');
      return parts.length === 0 ? null : parts.join('');
    },
    setItem(key, value) {
      const parts = value.match(PARTS);
      for (const [index, part] of parts.entries()) cookies.set(`${key}.${index}`, part, attributes);
      for (const name of partsOf(key)) if (Number(name.split('.')[1]) >= parts.length) cookies.delete(name, attributes);
    },
    removeItem(key) {
      for (const name of partsOf(key)) cookies.delete(name, attributes);
    },
  };
}
