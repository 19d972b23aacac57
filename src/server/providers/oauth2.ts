/** The authorization code grant (RFC 6749 4.1) with oauth4webapi. */
import {
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type ClientAuth,
  ClientSecretPost,
  customFetch,
  expectNoState,
  nopkce,
  processAuthorizationCodeResponse,
  ResponseBodyError,
  validateAuthResponse,
} from 'oauth4webapi';
import { apiError } from '../errors.js';
import { OutboundError } from '../outbound/outbound.js';
import type { Calls } from './calls.js';
import { ProviderFault } from './claims.js';
import type { TokenAnswer } from './contract.js';
import { type DecodedAnswer, decodeTokenAnswer, inWords } from './token-answer.js';

export interface CodeExchange {
  readonly tokenEndpoint: string;
  /** Expected `iss` of RFC 9207 in the callback; absent: not checked. */
  readonly issuer?: { readonly expected: string; readonly received: string } | undefined;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  readonly code: string;
  /** null: the provider does not support PKCE. */
  readonly codeVerifier: string | null;
  /** Methods of client authentication, in order; default HTTP Basic, then the body. */
  readonly authenticateBy?: readonly ('basic' | 'body')[] | undefined;
}

/**
 * Exchanges a code for tokens (RFC 6749 4.1.3). An error response is followed by one more attempt
 * with the other method of client authentication. No response is not: the code may be spent.
 * @returns the whole response, decoded
 * @throws ApiError codeExchangeFailed, whose cause never holds the code, the secret or a token
 */
export async function exchangeCode(calls: Calls, exchange: CodeExchange): Promise<TokenAnswer> {
  let cause: unknown;
  const { code, clientId, clientSecret, codeVerifier } = exchange;
  calls.watch?.hide(code, clientSecret, codeVerifier, basicPair(clientId, clientSecret));
  for (const way of exchange.authenticateBy ?? ['basic', 'body']) {
    try {
      return await tryExchange(calls, exchange, way);
    } catch (error) {
      cause = error;
      if (!(error instanceof ProviderFault)) break;
    }
  }
  throw apiError('codeExchangeFailed', { code: exchange.code.slice(0, 4) }, { cause });
}

/** @throws ProviderFault for a response without token, OutboundError without response */
async function tryExchange(calls: Calls, exchange: CodeExchange, way: 'basic' | 'body'): Promise<TokenAnswer> {
  const { clientId, clientSecret, redirectUri, issuer } = exchange;
  const server = { issuer: issuer?.expected ?? exchange.tokenEndpoint, token_endpoint: exchange.tokenEndpoint };
  const client = { client_id: clientId };
  let answer: DecodedAnswer | undefined;
  try {
    const received = new URLSearchParams({ code: exchange.code, ...(issuer?.received && { iss: issuer.received }) });
    const callback = validateAuthResponse(server, client, received, expectNoState);
    const response = await authorizationCodeGrantRequest(
      server,
      client,
      way === 'basic' ? clientSecretBasic(clientSecret) : ClientSecretPost(clientSecret),
      callback,
      redirectUri,
      exchange.codeVerifier ?? nopkce,
      {
        // callOut permits http for the loopback only.
        [allowInsecureRequests]: true,
        [customFetch]: async (url, { body, headers }) => {
          const type = { 'content-type': 'application/x-www-form-urlencoded' };
          const sent = { url, method: 'POST', headers: { ...headers, ...type }, body: String(body) } as const;
          const detail = { client_authentication: way, sends_verifier: exchange.codeVerifier !== null };
          answer = decodeTokenAnswer(await calls.call(sent, { kind: 'token', detail }));
          return answer.plain;
        },
      },
    );
    await processAuthorizationCodeResponse(server, client, response);
  } catch (error) {
    if (error instanceof OutboundError) throw error;
    // No cause: errors of the library contain the response.
    throw new ProviderFault(explain(error, answer, [exchange.code, clientSecret, exchange.codeVerifier ?? '']));
  }
  // The library has checked that there is an access token.
  return answer!.json as TokenAnswer;
}

function explain(error: unknown, answer: DecodedAnswer | undefined, secrets: readonly string[]): string {
  if (answer === undefined) return `the callback was refused: ${(error as Error).message}`;
  if (error instanceof ResponseBodyError || answer.status < 200 || answer.status > 299) return inWords(answer, secrets);
  return `the token endpoint answered without an access token (status ${answer.status})`;
}

/** Like ClientSecretBasic of oauth4webapi, but keeps `-`, `.` and `_`: many servers do not decode (RFC 6749 2.3.1). */
function clientSecretBasic(secret: string): ClientAuth {
  return (_server, client, _body, headers) => {
    const pair = Buffer.from(basicPair(client.client_id, secret)).toString('base64');
    headers.set('authorization', `Basic ${pair}`);
  };
}

const basicPair = (id: string, secret: string): string => `${encodeForm(id)}:${encodeForm(secret)}`;

const encodeForm = (text: string): string => new URLSearchParams({ _: text }).toString().slice('_='.length);
