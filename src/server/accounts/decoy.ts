import { issuePending } from '../../db/one-time-tokens.js';
import type { App } from '../app.js';
import type { PreparedMails } from './one-time.js';

/** A request that sends nothing costs the write of one that sends a mail (SEC-48). */
export async function writeDecoy(app: App, audience: string, prepared: PreparedMails): Promise<void> {
  await issuePending(app.db, 'decoy', { ...prepared.tokens[0]!, kind: 'decoy' }, { audience, data: {} }, [], null);
}
