import type { Replica } from '../db/replica.js';
import type { Database } from '../db/types.js';
import type { CryptoPool } from '../workers/wire.js';
import type { DecoyKinds } from './accounts/decoy-kinds.js';
import type { Keys } from './accounts/keys.js';
import type { RedirectPolicy } from './accounts/redirects.js';
import type { Config } from './config/settings.js';
import type { Limits } from './guards/contract.js';
import type { Housekeeping } from './housekeeping.js';
import type { MailRoom } from './mail/contract.js';
import type { Providers } from './providers/contract.js';
import type { Readiness } from './readiness.js';
import type { SmsRoom } from './sms/contract.js';
import type { Log } from './telemetry/log.js';

/** The bag of parts. boot.ts fills it in order; rules and routes take what they need from it. */
export interface App {
  readonly config: Config;
  readonly db: Database;
  /** For reads that may be a moment old; absent without AUTH_DB_REPLICA_URL. */
  readonly replica?: Replica;
  readonly crypto: CryptoPool;
  readonly keys: Keys;
  readonly decoyKinds: DecoyKinds;
  readonly mail: MailRoom;
  readonly sms: SmsRoom;
  readonly providers: Providers;
  readonly limits: Limits;
  readonly housekeeping: Pick<Housekeeping, 'noteFlow'>;
  readonly redirects: RedirectPolicy;
  readonly log: Log;
  readonly readiness: Readiness;
  readonly version: string;
  /** The interface as OpenAPI 3.1. */
  readonly describeApi: () => object;
  /** Counts what the audit log is told, by action; undefined while metrics are off. */
  readonly countDeed?: ((action: string) => void) | undefined;
}

/** Who asks, as far as sessions and audit want to know. */
export interface Client {
  readonly requestId: string;
  readonly userAgent: string | null;
  readonly ip: string | null;
}
