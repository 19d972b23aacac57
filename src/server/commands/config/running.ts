/** Asks a running server for its configuration. */
import type { RunningConfig } from '../../admin/running-config.js';
import type { CommandIo } from '../../cli/types.js';
import type { Config } from '../../config/settings.js';
import { secretSigningKey } from '../../keys/key-set.js';
import { callOut, OutboundError } from '../../outbound/outbound.js';
import { readSigningKey, signAdminToken } from '../sign-admin-token.js';

/** No configuration could be had; the message says why and what helps. */
export class RunningConfigError extends Error {}

const TOKEN_SECONDS = 60;
/** All settings with their values are about 60 kB. */
const MAX_ANSWER_BYTES = 8_388_608;

/** Where the configuration has the server listen. */
export function ownUrl({ apiHost, port }: Config): string {
  const host = ['', '0.0.0.0', '::', '[::]'].includes(apiHost) ? '127.0.0.1' : apiHost;
  return `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
}

/**
 * @param url of the API
 * @param token for the admin endpoints; undefined: one is signed, with each secret that the server may still have
 * @throws RunningConfigError
 */
export async function readRunningConfig(
  io: CommandIo,
  config: Config,
  url: string,
  token: string | undefined,
): Promise<RunningConfig> {
  const tokens = token === undefined ? signTokens(io, config) : [token];
  for await (const bearer of tokens) {
    const answer = await ask(`${url.replace(/\/+$/, '')}/admin/config`, bearer);
    if (answer.status === 200) return parseAnswer(answer.text, url);
    if (answer.status === 404) throw new RunningConfigError(`The server at ${url} has no /admin/config: it is older`);
    if (answer.status !== 401 && answer.status !== 403) {
      throw new RunningConfigError(`The server at ${url} answered ${answer.status}`);
    }
  }
  throw new RunningConfigError(
    `The server at ${url} refused the token. If it runs with another AUTH_JWT_SECRET, give --token, or list the earlier secret in AUTH_JWT_PREVIOUS_SECRETS`,
  );
}

async function* signTokens(io: CommandIo, config: Config): AsyncGenerator<string> {
  const claims = {
    role: config.jwtAdminRoles[0] ?? 'service_role',
    audience: config.jwtAudience,
    issuer: config.jwtIssuer,
    subject: null,
    expiresInSeconds: TOKEN_SECONDS,
  };
  const now = Math.floor(Date.now() / 1000);
  yield signAdminToken(claims, await readSigningKey(io, config), now);
  // The files may already have a new secret, and list the one in use as an earlier one.
  for (const jwtSecret of config.jwtPreviousSecrets) {
    yield signAdminToken(claims, secretSigningKey({ jwtSecret, jwtKeyId: config.jwtKeyId }), now);
  }
}

async function ask(url: string, token: string): Promise<{ status: number; text: string }> {
  try {
    return await callOut({ url, headers: { authorization: `Bearer ${token}` }, maxAnswerBytes: MAX_ANSWER_BYTES });
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw new RunningConfigError(`${url}: ${error.message}. Is the server running there? --url names another address`);
  }
}

function parseAnswer(text: string, url: string): RunningConfig {
  try {
    const answer = JSON.parse(text) as RunningConfig;
    if (typeof answer.settings === 'object' && answer.settings !== null) return answer;
  } catch {
    // Not JSON.
  }
  throw new RunningConfigError(`The server at ${url} answered something else: is it Latchkey?`);
}
