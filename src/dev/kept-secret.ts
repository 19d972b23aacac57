import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A JWT secret that is kept across restarts, so that earlier tokens stay valid.
 * @param directory created if missing; contains the secret as `jwt-secret`
 */
export const keepSecret = (directory: string): string =>
  keepText(directory, 'jwt-secret', () => randomBytes(32).toString('base64url'));

/**
 * A text that is made once.
 * @param directory created if missing; contains the text as a file of that name, readable by its owner only
 */
export function keepText(directory: string, name: string, make: () => string): string {
  const path = join(directory, name);
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  mkdirSync(directory, { recursive: true });
  const text = make();
  // `wx`: of two concurrent first starts, the second uses what the first has written.
  try {
    writeFileSync(path, `${text}\n`, { mode: 0o600, flag: 'wx' });
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return readFileSync(path, 'utf8').trim();
  }
}
