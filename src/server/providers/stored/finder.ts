/**
 * Finds providers in the database. The row is read each time, by its index, so that every thread and process works with
 * what it says now; what was opened for a version of it is kept, with its discovery document and keys.
 */
import { lruByOwner } from '../../../caching/lru.js';
import { type CustomProviderRow, findCustomProvider } from '../../../db/custom-providers.js';
import type { Database } from '../../../db/types.js';
import type { Config } from '../../config/settings.js';
import type { TextSealer } from '../../sealing/text-sealer.js';
import type { Log } from '../../telemetry/log.js';
import type { ExternalProvider } from '../contract.js';
import { type Discovery, openDiscovery } from '../discovery.js';
import { type IdTokenSource, sourceOf } from '../id-token-source.js';
import { openProvider } from '../open-provider.js';
import { bindingOf, privateHostsOf, settingsOf, specOf } from './spec.js';

export interface FinderOptions {
  readonly config: Config;
  readonly db: Database;
  readonly log: Pick<Log, 'warn'>;
  readonly sealer: TextSealer;
  readonly budgetSeconds: number;
}

/** A provider of the database, ready for use. */
export interface StoredProvider {
  readonly version: string;
  readonly isEnabled: boolean;
  readonly provider: ExternalProvider | { readonly unusable: string };
  /** Null: it has no ID tokens (oauth2). */
  readonly source: IdTokenSource | null;
  readonly discovery: Discovery;
  readonly issuer: string;
}

/** Each thread keeps as many open. */
const MAX_OPEN = 1000;
const openedOf = lruByOwner<object, StoredProvider>({
  maxEntries: MAX_OPEN,
  maxCharacters: MAX_OPEN,
  countCharacters: () => 1,
});

/** @returns a function that finds a provider by its identifier; null: there is none */
export function openFinder(options: FinderOptions): (identifier: string) => Promise<StoredProvider | null> {
  const opened = openedOf(options);
  return async (identifier) => {
    const row = await findCustomProvider(options.db, identifier);
    if (row === undefined) return null;
    const version = `${row.id} ${row.version}`;
    const known = opened.get(identifier);
    if (known?.version === version) return known;
    const fresh = { ...(await openRow(options, row)), version };
    opened.set(identifier, fresh);
    return fresh;
  };
}

async function openRow(options: FinderOptions, row: CustomProviderRow): Promise<Omit<StoredProvider, 'version'>> {
  const { config, log, sealer, budgetSeconds } = options;
  const privateHosts = privateHostsOf(row, config);
  const secret = sealer.open(row.id, row.sealed_secret);
  const spec = specOf(row);
  const settings = settingsOf(row, secret ?? '', config);
  const discovery = openDiscovery({
    ttlSeconds: config.externalOidcProviderCacheTtlSeconds,
    callSeconds: budgetSeconds,
    log,
    source: { url: row.settings.discovery_url || undefined, privateHosts, stored: row.discovery_document },
  });
  const provider = await openProvider(spec, settings, budgetSeconds, async () => discovery, privateHosts);
  return {
    isEnabled: settings.enabled,
    provider: findFault(options, row, secret) ?? { ...provider, binding: bindingOf(row) },
    source: spec.idTokens === undefined ? null : sourceOf(spec.idTokens, settings, []),
    discovery,
    issuer: row.settings.issuer,
  };
}

function findFault(
  { log }: FinderOptions,
  { identifier, settings }: CustomProviderRow,
  secret: string | null,
): { unusable: string } | null {
  if (!settings.enabled) return { unusable: 'provider is not enabled' };
  if (secret !== null) return null;
  const fields = { component: 'providers', provider: identifier };
  log.warn(fields, 'The client secret was sealed with another AUTH_JWT_SECRET. Set it again with PUT.');
  return { unusable: 'missing OAuth secret' };
}
