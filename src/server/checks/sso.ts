import {
  findSsoProvider,
  findSsoProviderByDomain,
  listSsoProviders,
  type SsoProviderRow,
} from '../../db/sso-providers.js';
import type { Database } from '../../db/types.js';
import { NIL_UUID, readUuid } from '../../db/uuid.js';
import { loadSaml } from '../../workers/tasks/saml.js';
import { spellDomain } from '../accounts/addresses.js';
import { withDatabase } from '../cli/database.js';
import { type Command, type CommandIo, EXIT } from '../cli/types.js';
import type { Config } from '../config/settings.js';
import { ApiError } from '../errors.js';
import { DATE_RESOLUTION_SECONDS, measureClock, readDateHeader } from '../outbound/clock-offset.js';
import { callOut } from '../outbound/outbound.js';
import type { Finding } from '../providers/stored/contract.js';
import { examineSsoProvider, type FreshMetadata } from '../saml/examine-provider.js';
import { openSamlMetadata } from '../saml/fetch-metadata.js';
import { serviceProviderOf } from '../saml/service-provider.js';

const RESOURCE = 'resource_';

export const checkSso: Command = {
  summary: 'Test the identity provider of a company (SAML), as far as possible without a browser',
  help: `Reads the metadata of the provider again and compares it with the stored copy, looks at the ends and keys of its certificates,
its addresses, domains, algorithms and mapping, and at its clock, and explains problems and their solutions. NAME is an id, resource_<id>, a
domain, or all. Changes nothing and does not sign in. Exits with 1 if there is a problem, and with 2 if there is no such provider.`,
  options: {
    json: { type: 'boolean', doc: 'print one JSON object' },
  },
  positionals: ['NAME'],
  run: (args, io) =>
    withDatabase(args, io, async (db, config) => {
      const [name = 'all'] = args.positionals;
      const all = await listSsoProviders(db, null, null);
      const rows = name === 'all' ? all : await findRow(db, name);
      if (rows.length === 0) return refuse(io, all);
      const own = examineOwn(config);
      const providers = [];
      for (const row of rows) {
        const fresh = await readFresh(config, row);
        const findings = [...own, ...examineSsoProvider(row, { fresh, nowMs: Date.now(), all, config })];
        if (config.samlEnabled) findings.push(...(await examineClock(config, row)));
        providers.push({ id: row.id, entity_id: row.entity_id, domains: row.domains, findings });
      }
      const ok = providers.every(({ findings }) => !findings.some(({ kind }) => kind === 'wrong'));
      io.out(
        args.values['json'] === true
          ? `${JSON.stringify({ ok, providers }, null, 2)}\n`
          : `${providers.map(render).join('\n')}\n${ok ? 'Nothing is wrong that can be seen without a browser.' : 'Sign-in does not work like this.'}\n`,
      );
      return ok ? EXIT.ok : EXIT.failed;
    }),
};

/** @returns one, or none */
async function findRow(db: Database, name: string): Promise<readonly SsoProviderRow[]> {
  const found = name.startsWith(RESOURCE)
    ? await findSsoProvider(db, 'resource_id', name.slice(RESOURCE.length))
    : await findSsoProvider(db, 'id', readUuid(name) ?? (await findIdByDomain(db, name)));
  return found === undefined ? [] : [found];
}

/** By one that does not count yet, too. */
const findIdByDomain = async (db: Database, domain: string): Promise<string> =>
  (await findSsoProviderByDomain(db, spellDomain(domain), false))?.id ?? NIL_UUID;

function refuse(io: CommandIo, known: readonly SsoProviderRow[]): number {
  const names = known.map(({ id, domains }) => `${id} (${domains.join(', ') || 'no domains'})`);
  const list =
    names.length === 0 ? 'There is none yet: POST /admin/sso/providers adds one.' : `There are ${names.join(', ')}.`;
  io.err(`latchkey check sso: which provider? ${list}\n`);
  return EXIT.wrongUsage;
}

function examineOwn(config: Config): Finding[] {
  if (!config.samlEnabled) return [{ kind: 'wrong', text: 'Sign-in at companies is off: set AUTH_SAML_ENABLED=true.' }];
  const { entityId, acsUrl, sloUrl } = serviceProviderOf(config);
  const found: Finding[] = [
    { kind: 'hint', text: `The provider has to know, letter by letter, the entity id (audience) ${entityId}` },
    { kind: 'hint', text: `the reply address (ACS) ${acsUrl}` },
    { kind: 'hint', text: `and, for log-out, ${sloUrl}` },
  ];
  if (!acsUrl.startsWith('https:')) {
    found.push({
      kind: 'hint',
      text: 'These addresses have no TLS, which most providers refuse: set AUTH_API_EXTERNAL_URL or AUTH_SAML_EXTERNAL_URL.',
    });
  }
  return found;
}

/** @returns null where the metadata has no address */
async function readFresh(config: Config, { metadata_url: url }: SsoProviderRow): Promise<FreshMetadata | null> {
  if (url === null) return null;
  try {
    return loadSaml().readMetadata(await openSamlMetadata(config, undefined).read(url));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { fault: `cannot be read: ${error.message}` };
  }
}

/** The clock of what serves the metadata, which is that of the provider as a rule. */
async function examineClock(config: Config, { metadata_url: url }: SsoProviderRow): Promise<Finding[]> {
  if (url === null) return [];
  const read = async () =>
    readDateHeader(
      (await callOut({ url, followsRedirects: false, privateHosts: config.outboundPrivateHosts })).headers,
    );
  try {
    const { seconds, uncertainSeconds } = await measureClock(read, DATE_RESOLUTION_SECONDS);
    if (Math.abs(seconds) - uncertainSeconds <= config.samlClockSkewSeconds) return [];
    const text = `Its clock is ${Math.round(Math.abs(seconds))} s ${seconds > 0 ? 'ahead of' : 'behind'} this one; AUTH_SAML_CLOCK_SKEW permits ${config.samlClockSkewSeconds} s: set the clocks by NTP.`;
    return [{ kind: 'wrong', text }];
  } catch {
    // What cannot be reached has been said; not every server sends a date.
    return [];
  }
}

const render = ({ id, entity_id, findings }: { id: string; entity_id: string; findings: readonly Finding[] }): string =>
  `${id}  ${entity_id}\n${findings.map(({ kind, text }) => `${kind.padEnd(5)}  ${text}\n`).join('')}`;
