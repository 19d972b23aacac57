/** The documentation beside the running version. A package without it has no links to it. */
import { readFileSync } from 'node:fs';

export interface Document {
  /** File name, which is also the end of the URL. */
  readonly name: string;
  /** Its heading. */
  readonly title: string;
  readonly text: string;
}

const ROOT = new URL('../../../../', import.meta.url);

/** In the order in which a new user needs them. */
const PATHS = [
  'README.md',
  'docs/compatibility.md',
  'docs/api.md',
  'docs/errors.md',
  'docs/settings.md',
  'docs/pages.md',
  'docs/console.md',
  'docs/providers.md',
  'docs/passkeys.md',
  'docs/sso.md',
  'docs/web3.md',
  'docs/mfa.md',
  'docs/oauth-server.md',
  'docs/hooks.md',
  'docs/events.md',
  'docs/keys.md',
  'docs/moving-in.md',
  'docs/deployment.md',
  'docs/operations.md',
];

/** @returns those that are there */
export function readDocuments(root: URL = ROOT): Document[] {
  return PATHS.flatMap((path) => {
    try {
      const text = readFileSync(new URL(path, root), 'utf8');
      const name = path.replace(/^docs\//, '');
      return [{ name, title: name === 'README.md' ? 'Introduction' : (/^# (.+)$/m.exec(text)?.[1] ?? name), text }];
    } catch {
      return [];
    }
  });
}
