import { type ListedCode, listCodesOf } from '../../db/one-time-tokens.js';
import type { App } from '../runtime/app.js';
import { validitySeconds } from './send-rules.js';
import { MAX_WRONG_TRIES } from './verify-lookup.js';

/** @returns the codes and links of a user that can still be redeemed, newest first; one of each kind at most */
export const readLiveCodes = (app: App, userId: string): Promise<ListedCode[]> =>
  listCodesOf(
    app.db,
    userId,
    { mailedSeconds: validitySeconds(app, 'email'), textedSeconds: validitySeconds(app, 'phone') },
    MAX_WRONG_TRIES,
  );
