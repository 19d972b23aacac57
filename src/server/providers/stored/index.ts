/** Providers that administrators add while the server runs (docs/decisions.md, Providers in the database). */
import type { Database } from '../../../db/types.js';
import type { Config } from '../../config/settings.js';
import { oauthApiError } from '../../errors.js';
import type { TestInternet } from '../../outbound/public-address.js';
import type { Log } from '../../telemetry/log.js';
import type { IdTokenGrant, IdTokenRequest } from '../contract.js';
import { idTokenError } from '../id-token-source.js';
import type { StoredProviderTools } from './contract.js';
import { openFinder, type StoredProvider } from './finder.js';
import { renewProviderSecrets } from './renew-provider-secrets.js';
import { createProviderSealer } from './secret-sealer.js';
import { openTools } from './tools.js';

export interface StoredProvidersOptions {
  readonly config: Config;
  readonly db: Database;
  readonly log: Pick<Log, 'warn'>;
  readonly budgetSeconds: number;
  readonly internet?: TestInternet | undefined;
  /** Providers of the settings, which a row of the same name replaces. */
  readonly known: ReadonlyMap<string, unknown>;
}

export interface StoredProviders {
  readonly tools: StoredProviderTools;
  /** @param name lower case @returns null when the database has no such provider */
  find(name: string): Promise<StoredProvider | null>;
  /** @returns null when the request names no provider of the database @throws as {@link Providers.verifyIdToken} */
  verifyIdToken(request: IdTokenRequest): Promise<IdTokenGrant | null>;
  close(): void;
}

export const PREFIX = 'custom:';

export function openStoredProviders(options: StoredProvidersOptions): StoredProviders {
  const { config, log, budgetSeconds, known, internet } = options;
  const sealer = createProviderSealer(config);
  const findRow = openFinder({ ...options, sealer });
  const close = config.jwtPreviousSecrets.length > 0 ? renewProviderSecrets(options.db, sealer, log) : () => {};
  const warned = new Set<string>();

  async function find(name: string): Promise<StoredProvider | null> {
    if (!name.startsWith(PREFIX)) return null;
    const found = await findRow(name);
    if (found !== null && known.has(name) && !warned.has(name)) {
      warned.add(name);
      const fields = { component: 'providers', provider: name };
      log.warn(
        fields,
        'The database has a provider with the name of one in the settings; that in the database counts.',
      );
    }
    return found;
  }

  return {
    tools: openTools({ config, sealer, budgetSeconds, internet }),
    find,
    close,
    async verifyIdToken(request) {
      if (request.idToken === '') return null;
      const found = await find(request.provider);
      if (found === null) return null;
      const { source, issuer, isEnabled, discovery } = found;
      if (!isEnabled) throw oauthApiError('idTokenProviderDisabled', { issuer }, 'invalid request');
      if (source === null) {
        throw idTokenError('idTokenIssuer', `Custom OIDC provider "${request.provider}" not allowed`);
      }
      const { redeemIdToken } = await import('../redeem-id-token.js');
      return redeemIdToken(request, source, discovery, budgetSeconds);
    },
  };
}
