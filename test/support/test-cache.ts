/** What tests download, once for all runs and checkouts: outside the repository. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(homedir(), '.cache', 'latchkey-tests');

/** With LATCHKEY_TEST_DOWNLOADS=false what is not there yet is not downloaded. @returns why it is not; null: go on */
export const refuseDownload = (name: string): string | null =>
  process.env['LATCHKEY_TEST_DOWNLOADS'] === 'false' && !existsSync(join(ROOT, name))
    ? `${name} is not downloaded, since LATCHKEY_TEST_DOWNLOADS is false`
    : null;

/**
 * @param name with the version
 * @param fill makes the contents in an empty folder; what it throws leaves nothing behind
 * @returns the folder, which must not be changed
 */
export async function cached(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const kept = join(ROOT, name);
  if (existsSync(kept)) return kept;
  mkdirSync(ROOT, { recursive: true });
  const made = mkdtempSync(`${kept}-`);
  try {
    await fill(made);
    // Another run may have been quicker.
    if (!existsSync(kept)) renameSync(made, kept);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return kept;
}
