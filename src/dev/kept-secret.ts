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
export const keepText = (directory: string, name: string, make: () => string): string =>
  readKept(directory, name) ?? writeKept(directory, name, make());

/**
 * The same for a text that takes long to make, such as an RSA key.
 * @param directory created if missing; contains the text as a file of that name, readable by its owner only
 */
export const keepSlowText = async (directory: string, name: string, make: () => Promise<string>): Promise<string> =>
  readKept(directory, name) ?? writeKept(directory, name, await make());

function readKept(directory: string, name: string): string | null {
  try {
    return readFileSync(join(directory, name), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return null;
  }
}

function writeKept(directory: string, name: string, text: string): string {
  const path = join(directory, name);
  mkdirSync(directory, { recursive: true });
  // `wx`: of two concurrent first starts, the second uses what the first has written.
  try {
    writeFileSync(path, `${text}\n`, { mode: 0o600, flag: 'wx' });
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return readFileSync(path, 'utf8').trim();
  }
}
