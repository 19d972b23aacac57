import { storePendingSignUp } from '../../db/one-time-tokens.js';
import type { App } from '../runtime/app.js';
import type { PreparedMails } from './one-time.js';

/** Writes as much as a request that sends a mail, for one that sends nothing (SEC-48). */
export async function writeDecoy(app: App, audience: string, prepared: PreparedMails): Promise<void> {
  await storePendingSignUp(
    app.db,
    'decoy',
    { ...prepared.tokens[0]!, kind: 'decoy' },
    { audience, data: {} },
    [],
    null,
  );
}
