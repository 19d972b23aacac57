import { readSealedFactors, resealFactor } from '../../db/factors.js';
import type { Database } from '../../db/types.js';
import type { Config } from '../config/settings.js';
import { startRenewal } from '../sealing/renew-sealed.js';
import type { TextSealer } from '../sealing/text-sealer.js';
import type { Log } from '../telemetry/log.js';

/** Whether an earlier secret or key may have sealed what is stored. */
const mayBeOutdated = (config: Config): boolean =>
  config.jwtPreviousSecrets.length > 0 ||
  config.securityDbEncryptionEncrypt ||
  Object.keys(config.securityDbEncryptionDecryptionKeys).length > 0;

/** Seals the secrets of authenticator apps anew where that is due, in the background. @returns a function that stops it */
export function renewFactorSecrets(
  db: Database,
  sealer: TextSealer,
  config: Config,
  log: Pick<Log, 'warn'>,
): () => void {
  if (!mayBeOutdated(config)) return () => undefined;
  return startRenewal(sealer, {
    readPage: (after) => readSealedFactors(db, after?.id ?? null),
    replace: (row, sealed) => resealFactor(db, row, sealed),
    warn(reason) {
      log.warn({ component: 'factors', reason }, 'Secrets of authenticator apps are not sealed with the new key yet.');
    },
  });
}
