import { appUrl } from './settings.js';

/** Browsers refuse cookies of more than 4,096 bytes, and a session may be longer. */
const PARTS = /.{1,3000}/g;

const attributes = {
  path: '/',
  httpOnly: true,
  sameSite: 'lax',
  secure: appUrl.startsWith('https:'),
  // The longest that browsers allow. Latchkey decides when a session ends.
  maxAge: 400 * 24 * 60 * 60,
};

/**
 * Keeps what the client stores in cookies named key.0, key.1, and so on.
 * @param jar `cookies()` of Next.js, or what proxy.js makes of a request
 */
export function cookieStorage(jar) {
  const partsOf = (key) =>
    jar
      .getAll()
      .map(({ name }) => name)
      .filter((name) => name.startsWith(`${key}.`));
  return {
    getItem(key) {
      const parts = partsOf(key).map((_, index) => jar.get(`${key}.${index}`)?.value ?? '');
      return parts.length === 0 ? null : parts.join('');
    },
    setItem(key, value) {
      const parts = value.match(PARTS);
      for (const [index, part] of parts.entries()) jar.set(`${key}.${index}`, part, attributes);
      for (const name of partsOf(key)) if (Number(name.split('.')[1]) >= parts.length) jar.delete(name);
    },
    removeItem(key) {
      for (const name of partsOf(key)) jar.delete(name);
    },
  };
}
