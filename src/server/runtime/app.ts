import type { DatabasePool } from '../../db/pool.js';
import type { Replica } from '../../db/replica.js';
import type { Database } from '../../db/types.js';
import type { CryptoPool } from '../../workers/wire.js';
import type { CompanyDomains } from '../accounts/company-domains.js';
import type { DecoyKinds } from '../accounts/decoy-kinds.js';
import type { ClientDocuments } from '../client-documents/contract.js';
import type { ConfigSources } from '../config/load.js';
import type { Config } from '../config/settings.js';
import type { TxtLookup } from '../domains/txt-lookup.js';
import type { Events } from '../events/index.js';
import type { FactorCounter } from '../factors/attempt-counts.js';
import type { Limits } from '../guards/contract.js';
import type { Hooks } from '../hooks/contract.js';
import type { TokenKeys } from '../keys/token-keys.js';
import type { Mailer } from '../mail/contract.js';
import type { OauthCounter } from '../oauth/oauth-counts.js';
import type { JoinDomains } from '../organizations/follow-join-domains.js';
import type { FollowedRoles } from '../organizations/follow-roles.js';
import type { Pages } from '../pages/contract.js';
import type { PasswordChecks } from '../passwords/contract.js';
import type { Providers } from '../providers/contract.js';
import type { RedirectPolicy } from '../redirects/policy.js';
import type { EndWatch } from '../saml/coming-ends.js';
import type { SamlMetadataSource } from '../saml/fetch-metadata.js';
import type { TextSealer } from '../sealing/text-sealer.js';
import type { Keys } from '../sessions/keys.js';
import type { Texts } from '../sms/contract.js';
import type { Log } from '../telemetry/log.js';
import type { Housekeeping } from './housekeeping.js';
import type { Readiness } from './readiness.js';

/**
 * All parts of a server thread, as one configuration needs them. boot.ts and generation.ts create them in order; rules and
 * endpoints use those they need.
 */
export interface App {
  readonly config: Config;
  /** What the configuration is read from, at a start and at a reload. */
  readonly settingSources: ConfigSources;
  /** How many configurations this process has had; a reload makes another App. */
  readonly generation: number;
  readonly db: Database;
  /** Hooks may call further functions in the database. */
  readonly allowFunctions: DatabasePool['allowFunctions'];
  /** Looks at once whether the database has newer settings; absent where they are not followed. */
  readonly lookForSettings?: (() => void) | undefined;
  /** For reads that may be slightly old; absent without AUTH_DB_REPLICA_URL. */
  readonly replica?: Replica;
  readonly crypto: CryptoPool;
  readonly keys: Keys;
  /** Keys of access tokens. */
  readonly tokenKeys: TokenKeys;
  /** Seals secrets of authenticator apps. */
  readonly factorSecrets: TextSealer;
  readonly factorCounts: FactorCounter;
  /** As of the last look, which is hourly. */
  readonly ssoEnds: EndWatch;
  readonly oauthCounts: OauthCounter;
  readonly decoyKinds: DecoyKinds;
  readonly mail: Mailer;
  readonly sms: Texts;
  readonly passwords: PasswordChecks;
  readonly hooks: Hooks;
  /** Null: they are off. */
  readonly pages: Pages | null;
  /** Roles of organizations. Null: organizations are off. */
  readonly organizationRoles: FollowedRoles | null;
  /** Domains by which users join organizations. Null: organizations are off. */
  readonly joinDomains: JoinDomains | null;
  readonly providers: Providers;
  readonly clientDocuments: ClientDocuments;
  readonly companyDomains: CompanyDomains;
  /** Records of the DNS that prove domains. */
  readonly txtRecords: TxtLookup;
  /** Metadata of identity providers that comes from an address. */
  readonly samlMetadata: SamlMetadataSource;
  readonly limits: Limits;
  readonly housekeeping: Pick<Housekeeping, 'recordFlow'>;
  readonly redirects: RedirectPolicy;
  readonly events: Pick<
    Events,
    | 'isOn'
    | 'nudge'
    | 'record'
    | 'recordFailedSignIn'
    | 'changeEndpoints'
    | 'sealer'
    | 'send'
    | 'leaseSeconds'
    | 'waitForEvent'
  >;
  readonly log: Log;
  readonly readiness: Readiness;
  readonly version: string;
  /** The OpenAPI 3.1 document. */
  readonly describeApi: () => object;
  /** Of a request: the address of its client as the limits see it, for audit entries. Absent elsewhere. */
  readonly clientAddress?: (() => string) | undefined;
  /** Counts audit events by action; undefined without metrics. */
  readonly countAuditEvent?: ((action: string) => void) | undefined;
  /** Counts sessions that were opened by method; undefined where nothing is recorded for the console. */
  readonly countSignIn?: ((method: string) => void) | undefined;
}

/** The client of a request, for sessions and the audit log. */
export interface Client {
  readonly requestId: string;
  readonly userAgent: string | null;
  readonly ip: string | null;
  /** That the device got when its user trusted it, at a sign-in. */
  readonly trustedDeviceToken?: string | undefined;
  /** The organization that the session is to act for, at a sign-in; empty: none. */
  readonly organizationId?: string | undefined;
}
