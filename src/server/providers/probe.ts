/** Tests a provider without a browser, for `latchkey check provider`. */
import { callOut, OutboundError } from '../outbound/outbound.js';
import { at, textAt } from './claims.js';
import type { ProviderSettings, ProviderSpec } from './contract.js';
import { findDeprecated } from './deprecated.js';
import type { DiscoverySource } from './discovery.js';
import { probeServer } from './probe-server.js';
import type { Finding } from './stored/contract.js';
import { type DecodedAnswer, decodeTokenAnswer } from './token-answer.js';

/** Environment names of the provider's settings. */
export interface SettingNames {
  readonly clientId: string;
  readonly secret: string;
  readonly redirectUri: string;
  /** EXTERNAL_X_URL or EXTERNAL_CUSTOM_X_ISSUER. */
  readonly address: string;
}

interface Endpoints {
  readonly authorization: string;
  readonly token: string;
}

const fine = (text: string): Finding => ({ kind: 'fine', text });
const wrong = (text: string): Finding => ({ kind: 'wrong', text });

/** Calls the provider with an invalid code, and looks at its certificate and clock. Never throws. @param source of a provider in the database */
export async function probeProvider(
  spec: ProviderSpec,
  settings: ProviderSettings,
  names: SettingNames,
  source: DiscoverySource = {},
): Promise<Finding[]> {
  const url = settings.url === '' ? null : settings.url;
  const found = findDeprecated(spec, url);
  if (spec.protocol === 'oauth1') return [...found, ...(await probeRequestToken(spec, settings, names))];
  let endpoints: Endpoints;
  if (spec.protocol === 'oidc') {
    const documented = await probeDocument(spec, url, names, source);
    found.push(...documented.findings);
    if (documented.endpoints === null) return found;
    endpoints = documented.endpoints;
  } else {
    endpoints = spec.endpoints(url);
  }
  found.push(await probeAuthorization(endpoints.authorization, names, source));
  try {
    const secret = await (('openSecret' in spec && spec.openSecret?.(settings)) || (async () => settings.secret))();
    found.push(await probeToken(endpoints.token, { ...settings, secret }, names, source));
    found.push(...(await probeServer(endpoints.token, source)));
  } catch (error) {
    found.push(wrong(`No client secret could be made: ${(error as Error).message}.`));
  }
  return found;
}

async function probeDocument(
  spec: ProviderSpec & { protocol: 'oidc' },
  url: string | null,
  names: SettingNames,
  source: DiscoverySource,
): Promise<{ findings: Finding[]; endpoints: Endpoints | null }> {
  const { documentUrl, findDocument, openDiscovery } = await import('./discovery.js');
  const place = source.url ?? documentUrl(spec.idTokens.issuer(url));
  const discovery = openDiscovery({ ttlSeconds: 1, callSeconds: 10, log: { warn: () => {} }, source });
  try {
    const document = await findDocument(discovery, spec.idTokens, url);
    const findings = [fine(`The discovery document is at ${place}.`), await probeKeys(document.jwksUri, source)];
    const authorization = spec.authorizationEndpoint?.(url) ?? document.authorizationEndpoint;
    const token = spec.tokenEndpoint?.(url) ?? document.tokenEndpoint;
    if (authorization !== null && token !== null) return { findings, endpoints: { authorization, token } };
    findings.push(
      wrong('The discovery document names no authorization_endpoint or no token_endpoint: nobody can sign in.'),
    );
    return { findings, endpoints: null };
  } catch (error) {
    const text = `The discovery document at ${place} cannot be used: ${reasonOf(error)}. Check ${names.address}.`;
    return { findings: [wrong(text)], endpoints: null };
  }
}

async function probeKeys(url: string, { privateHosts }: DiscoverySource): Promise<Finding> {
  try {
    const { status, text } = await callOut({ url, privateHosts });
    const keys = status === 200 ? at(JSON.parse(text), 'keys') : undefined;
    if (Array.isArray(keys) && keys.length > 0) return fine(`The provider signs with ${keys.length} key(s) of ${url}.`);
    return wrong(`There are no keys at ${url} (status ${status}): no ID token can be verified.`);
  } catch (error) {
    return wrong(`The keys at ${url} cannot be read: ${reasonOf(error)}.`);
  }
}

async function probeAuthorization(
  endpoint: string,
  names: SettingNames,
  { privateHosts }: DiscoverySource,
): Promise<Finding> {
  try {
    const { status } = await callOut({ url: endpoint, privateHosts });
    if (status === 404 || status >= 500) {
      return wrong(`Users are sent to ${endpoint}, which answers with status ${status}. Check ${names.address}.`);
    }
  } catch (error) {
    // A page that sends the browser on to a sign-in elsewhere is there.
    if (!(error instanceof OutboundError && error.fault === 'redirect')) {
      return wrong(
        `Users are sent to ${endpoint}, which cannot be reached: ${reasonOf(error)}. Check ${names.address}.`,
      );
    }
  }
  return fine(`Users are sent to ${endpoint}, which answers.`);
}

/** An invalid code must be rejected with an OAuth error. Which one shows whether client id and secret are right. */
async function probeToken(
  endpoint: string,
  settings: ProviderSettings,
  names: SettingNames,
  { privateHosts }: DiscoverySource,
): Promise<Finding> {
  const client = { client_id: settings.clientIds[0]!, client_secret: settings.secret };
  const fields = { grant_type: 'authorization_code', code: 'latchkey-check', redirect_uri: settings.redirectUri };
  let answer: DecodedAnswer;
  try {
    answer = decodeTokenAnswer(
      await callOut({
        url: endpoint,
        privateHosts,
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
        body: String(new URLSearchParams({ ...fields, ...client })),
      }),
    );
  } catch (error) {
    return wrong(`The token endpoint ${endpoint} cannot be reached: ${reasonOf(error)}. Check ${names.address}.`);
  }
  const error =
    textAt(answer.json, 'error') || textAt(answer.json, 'error', 'type') || textAt(answer.json, 'error', 'message');
  const said = `The token endpoint ${endpoint} answers a code that it never gave out with`;
  if (/client|unauthorized/i.test(error)) {
    return wrong(
      `${said} ${quote(error)}: it does not know ${names.clientId}, or ${names.secret} is not its secret. Some providers make a new secret each time it is shown, and some wait for the client to be switched on.`,
    );
  }
  if (/redirect/i.test(error)) {
    return wrong(`${said} ${quote(error)}: register ${names.redirectUri} at the provider, letter by letter.`);
  }
  if (error !== '') return fine(`${said} ${quote(error)}, as it should.`);
  const words = `${said} status ${answer.status} and no error of OAuth's`;
  if (answer.status === 404 || Object.keys(answer.json).length === 0) {
    return wrong(`${words}: it is not the token endpoint. Check ${names.address}.`);
  }
  return { kind: 'hint', text: `${words}, which says nothing about ${names.clientId} and ${names.secret}.` };
}

async function probeRequestToken(
  spec: ProviderSpec & { protocol: 'oauth1' },
  settings: ProviderSettings,
  names: SettingNames,
): Promise<Finding[]> {
  const { openOAuth1Provider } = await import('./oauth1.js');
  const url = settings.url === '' ? null : settings.url;
  const parts = { settings, url, clientId: settings.clientIds[0]!, budgetSeconds: 10 };
  const request = { state: 'check', codeVerifier: '', nonce: '', scopes: '', parameters: new Map<string, string>() };
  const endpoint = spec.endpoints(url).requestToken;
  try {
    await openOAuth1Provider(spec, parts).authorizationUrl(request);
    const given = fine(`${endpoint} gives out request tokens: id, secret and redirect URI are right.`);
    return [given, ...(await probeServer(endpoint, {}))];
  } catch (error) {
    const reason = reasonOf((error as Error).cause ?? error);
    const cure = `Check ${names.clientId} and ${names.secret}, and that ${names.redirectUri} is registered`;
    return [wrong(`${endpoint} gives out no request token: ${reason}. ${cure}; ${names.address} is where it is.`)];
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  const { code } = (cause ?? {}) as { code?: unknown };
  const first = message.charAt(0).toLowerCase() + message.slice(1);
  return typeof code === 'string' ? `${first} (${code})` : first;
}

const quote = (text: string): string => JSON.stringify(text.slice(0, 80)).replace(/[^\x20-\x7e]/g, '?');
