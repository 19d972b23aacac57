import { ApiError } from '../errors.js';
import { parseJsonObject } from '../http/json.js';
import { RowFault } from './rows.js';

/** With the limits of request bodies: depth, number of values, no unstorable text. @throws RowFault */
export function parseJsonText(bytes: Buffer): Readonly<Record<string, unknown>> {
  try {
    return parseJsonObject(bytes);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new RowFault(error.message.replace(/^Could not parse request body as JSON: /, 'is no JSON object: '));
  }
}
