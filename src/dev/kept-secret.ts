import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A JWT secret that is kept across restarts, so that earlier tokens stay valid.
 * @param directory created if missing; contains the secret as `jwt-secret`, readable by its owner only
 */
export function keepSecret(directory: string): string {
  const path = join(directory, 'jwt-secret');
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  mkdirSync(directory, { recursive: true });
  const secret = randomBytes(32).toString('base64url');
  // `wx`: of two concurrent first starts, the second uses what the first has written.
  try {
    writeFileSync(path, `${secret}\n`, { mode: 0o600, flag: 'wx' });
    return secret;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return readFileSync(path, 'utf8').trim();
  }
}
