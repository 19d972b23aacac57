import type { ServerSecrets } from '../../sealing/key-ring.js';
import { createTextSealer, type TextSealer } from '../../sealing/text-sealer.js';

/** Seals the client secrets of providers in the database, with the id of the row as context. */
export const createProviderSealer = (secrets: ServerSecrets): TextSealer =>
  createTextSealer(secrets, 'latchkey custom provider secrets v1');
