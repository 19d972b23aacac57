import { findCustomProvider } from '../../db/custom-providers.js';
import { loadConfiguration } from '../cli/configuration.js';
import { withDatabaseOf } from '../cli/database.js';
import { type Command, type CommandIo, EXIT } from '../cli/types.js';
import type { Config } from '../config/settings.js';
import type { ProviderSettings } from '../providers/contract.js';
import { findMissing, listProviders, openProviders } from '../providers/index.js';
import { probeProvider, type SettingNames } from '../providers/probe.js';
import type { Finding } from '../providers/stored/contract.js';

export const checkProvider: Command = {
  summary: 'Test an identity provider, as far as possible without a browser',
  help: `Reports missing settings of NAME (github, keycloak, custom:our-login, ...), fetches its discovery document and keys, calls
its authorization and token endpoints with an invalid code, looks at its certificate and its clock, says which scopes and
endpoints it has deprecated, and explains problems and their solutions. Providers in the database are tested, too. Does not sign in.
Exits with 1 if there is a problem, and with 2 if there is no such provider.`,
  options: {
    json: { type: 'boolean', doc: 'print one JSON object' },
  },
  positionals: ['NAME'],
  run: async ({ positionals: [name = ''], values, configFiles }, io) => {
    const { config } = await loadConfiguration({ configFiles }, io);
    const wanted = name.toLowerCase();
    const findings = (await checkStored(config, io, wanted)) ?? (await checkConfiguredProvider(config, wanted));
    if (findings === null) {
      const known = listProviders(config).map(({ settings }) => settings.name);
      io.err(`latchkey check provider: which provider? There are ${known.join(', ')}.\n`);
      return EXIT.wrongUsage;
    }
    const ok = !findings.some(({ kind }) => kind === 'wrong');
    const text = findings.map(({ kind, text }) => `${kind.padEnd(5)}  ${text}\n`).join('');
    const end = ok
      ? 'Nothing is wrong that can be seen without a browser.'
      : 'Sign-in with it does not work like this.';
    if (values['json'] === true) io.out(`${JSON.stringify({ ok, provider: wanted, findings }, null, 2)}\n`);
    else io.out(`${text}\n${end}\n`);
    return ok ? EXIT.ok : EXIT.failed;
  },
};

/** @returns null: there is none of the name */
export async function checkConfiguredProvider(config: Config, name: string): Promise<readonly Finding[] | null> {
  const found = listProviders(config).find(({ settings }) => settings.name === name);
  if (found === undefined) return null;
  const { settings } = found;
  const names = namesOf(settings.name);
  const findings = findMissingSettings(settings, names);
  if (findings.length === 0) findings.push(...(await probeProvider(await found.load(), settings, names)));
  return [...findings, ...findHints(settings, names, config)];
}

/**
 * One of the database counts before one of the settings with its name, as in a sign-in.
 * @returns null: there is none of the name, or the database cannot be asked and the settings have one
 */
async function checkStored(config: Config, io: CommandIo, name: string): Promise<readonly Finding[] | null> {
  if (!config.customOauthEnabled || !name.startsWith('custom:')) return null;
  try {
    return await withDatabaseOf(config, io, async (db) => {
      const row = await findCustomProvider(db, name);
      if (row === undefined) return null;
      const providers = await openProviders({ config, log: { warn: () => undefined }, db });
      try {
        return await providers.stored!.test(row);
      } finally {
        providers.close();
      }
    });
  } catch (error) {
    if (!Object.hasOwn(config.customProviders, name.slice('custom:'.length))) throw error;
    io.err(`The database has not been asked about ${name}: ${(error as Error).message}\n`);
    return null;
  }
}

function namesOf(name: string): SettingNames & { readonly enabled: string; readonly emailOptional: string } {
  const isCustom = name.startsWith('custom:');
  const x = name.replace('custom:', 'custom_').replaceAll('-', '_').toUpperCase();
  const prefix = `AUTH_EXTERNAL_${x}`;
  return {
    enabled: `${prefix}_ENABLED`,
    clientId: `${prefix}_CLIENT_ID`,
    secret: `${prefix}_SECRET`,
    redirectUri: `${prefix}_REDIRECT_URI`,
    emailOptional: `${prefix}_EMAIL_OPTIONAL`,
    address: `${prefix}_${isCustom ? 'ISSUER' : 'URL'}`,
  };
}

function findMissingSettings(settings: ProviderSettings, names: ReturnType<typeof namesOf>): Finding[] {
  if (!settings.enabled) return [{ kind: 'wrong', text: `It is switched off: set ${names.enabled}=true.` }];
  const lacks = {
    [names.clientId]: settings.clientIds.length === 0,
    [names.secret]: settings.secret === '',
    [names.redirectUri]: settings.redirectUri === '',
    [names.address]: settings.name === 'keycloak' && settings.url === '',
  };
  const missing = Object.keys(lacks).filter((name) => lacks[name]);
  const found: Finding[] = missing.map((name) => ({ kind: 'wrong', text: `${name} is missing.` }));
  if (found.length > 0 || findMissing(settings) === null) return found;
  const text = `${names.secret} is a private key: set AUTH_EXTERNAL_APPLE_TEAM_ID and AUTH_EXTERNAL_APPLE_KEY_ID too.`;
  return [{ kind: 'wrong', text }];
}

function findHints(settings: ProviderSettings, names: ReturnType<typeof namesOf>, config: Config): Finding[] {
  const found: Finding[] = [];
  const { redirectUri } = settings;
  const usual = `${config.apiExternalUrl}/callback`;
  if (redirectUri !== '') {
    found.push({ kind: 'hint', text: `Register this at the provider, letter by letter: ${redirectUri}` });
    if (redirectUri !== usual) {
      found.push({ kind: 'hint', text: `${names.redirectUri} is not ${usual}, which is where this server listens.` });
    }
  }
  const hint = hints[settings.name]?.(settings, names);
  if (hint) found.push(hint);
  return found;
}

type HintOf = (settings: ProviderSettings, names: ReturnType<typeof namesOf>) => Finding | null;

const say =
  (text: string | ((names: ReturnType<typeof namesOf>) => string)): HintOf =>
  (_settings, names) => ({ kind: 'hint', text: typeof text === 'string' ? text : text(names) });

const REQUESTS_ADDRESSES = 'The app must be allowed to request addresses from users, in its settings at the provider.';

/** Known pitfalls by provider. */
const hints: Readonly<Record<string, HintOf>> = {
  apple: ({ secret }, { secret: name }) => {
    const seconds = readExpiry(secret);
    if (seconds === null) return null;
    const days = Math.floor((seconds - Date.now() / 1000) / 86_400);
    if (days < 0)
      return { kind: 'wrong', text: `${name} has expired: sign a new one, or give the private key instead.` };
    return { kind: 'hint', text: `${name} expires in ${days} days; give the private key instead and it never does.` };
  },
  azure: ({ url }, { address }) =>
    /\/(common|organizations)$/.test(url) || url === ''
      ? {
          kind: 'hint',
          text: `Any tenant may sign in, so addresses count as verified only with the optional claim xms_edov, which your app registration must ask for; or choose one tenant with ${address}.`,
        }
      : null,
  facebook: say('Only people with a role in the app can sign in until Facebook has reviewed it.'),
  kakao: say(
    ({ emailOptional }) =>
      `Only business apps may ask for account_email: without it, users need ${emailOptional}=true.`,
  ),
  keycloak: say('Newer servers refuse the profile unless the client asks for scopes=openid.'),
  snapchat: say(({ emailOptional }) => `It often tells no address: ${emailOptional}=true lets such people in.`),
  spotify: say(
    ({ emailOptional }) =>
      `It never says that an address is verified: new users confirm it by mail first. Apps in Development Mode get none since March 2026: their users need ${emailOptional}=true.`,
  ),
  twitter: say(REQUESTS_ADDRESSES),
  x: say(REQUESTS_ADDRESSES),
  zoom: say('What may be read is set in the app: user:read:user is needed.'),
};

/** `exp` of a JWT, unverified; null for anything else. */
function readExpiry(secret: string): number | null {
  const parts = secret.split('.');
  if (parts.length !== 3) return null;
  try {
    const { exp } = JSON.parse(Buffer.from(parts[1]!, 'base64url').toString()) as { exp?: unknown };
    return typeof exp === 'number' ? exp : null;
  } catch {
    return null;
  }
}
