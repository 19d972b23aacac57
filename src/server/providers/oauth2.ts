/** OAuth 2.0 (RFC 6749): the code grant, carried by oauth4webapi, whose only importer this is. */
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
import { refuse } from '../errors.js';
import { OutboundError } from '../outbound.js';
import type { Calls } from './calls.js';
import { ProviderFault } from './claims.js';
import type { TokenAnswer } from './contract.js';
import { type DecodedAnswer, decodeTokenAnswer, inWords } from './token-answer.js';

export interface CodeExchange {
  readonly tokenEndpoint: string;
  /** `iss` of RFC 9207 in the callback must be this; absent: nothing is known of it. */
  readonly issuer?: { readonly expected: string; readonly received: string } | undefined;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  readonly code: string;
  /** null: the provider knows no PKCE. */
  readonly codeVerifier: string | null;
  /** How the client says who it is, one way after the other; default HTTP Basic, then the body. */
  readonly authenticateBy?: readonly ('basic' | 'body')[] | undefined;
}

/**
 * Exchanges a code for tokens (RFC 6749 4.1.3). A provider that answers anything but a token is asked once more, with the
 * other way of client authentication; one that does not answer is not: the code may be spent.
 * @returns the whole answer, decoded
 * @throws Refusal codeExchangeFailed, whose cause never holds the code, the secret or a token
 */
export async function exchangeCode(calls: Calls, exchange: CodeExchange): Promise<TokenAnswer> {
  let cause: unknown;
  for (const way of exchange.authenticateBy ?? ['basic', 'body']) {
    try {
      return await tryExchange(calls, exchange, way);
    } catch (error) {
      cause = error;
      if (!(error instanceof ProviderFault)) break;
    }
  }
  throw refuse('codeExchangeFailed', { code: exchange.code.slice(0, 4) }, { cause });
}

/** @throws ProviderFault for an answer that is no token, OutboundError for none */
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
        // callOut has rules of its own for http, which permit the loopback alone.
        [allowInsecureRequests]: true,
        [customFetch]: async (url, { body, headers }) => {
          const type = { 'content-type': 'application/x-www-form-urlencoded' };
          const sent = { url, method: 'POST', headers: { ...headers, ...type }, body: String(body) } as const;
          answer = decodeTokenAnswer(await calls.call(sent));
          return answer.plain;
        },
      },
    );
    await processAuthorizationCodeResponse(server, client, response);
  } catch (error) {
    if (error instanceof OutboundError) throw error;
    // Not kept as a cause: errors of the library carry the answer they are about.
    throw new ProviderFault(explain(error, answer, [exchange.code, clientSecret, exchange.codeVerifier ?? '']));
  }
  // The library has seen that there is an access token.
  return answer!.json as TokenAnswer;
}

function explain(error: unknown, answer: DecodedAnswer | undefined, secrets: readonly string[]): string {
  if (answer === undefined) return `the callback was refused: ${(error as Error).message}`;
  if (error instanceof ResponseBodyError || answer.status < 200 || answer.status > 299) return inWords(answer, secrets);
  return `the token endpoint answered without an access token (status ${answer.status})`;
}

/** As oauth4webapi's ClientSecretBasic, but `-`, `.` and `_` stay: many servers forget to decode (RFC 6749 2.3.1). */
function clientSecretBasic(secret: string): ClientAuth {
  return (_server, client, _body, headers) => {
    const pair = `${encodeForm(client.client_id)}:${encodeForm(secret)}`;
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
  };
}

const encodeForm = (text: string): string => new URLSearchParams({ _: text }).toString().slice('_='.length);
