/** Requests to the token endpoint and their answers. */

import type { ProvingRequest } from '../dpop/proof.js';
import type { Client } from '../runtime/app.js';
import type { PresentedClient } from './client-authentication.js';
import type { TokenParameters } from './token-parameters.js';

/** RFC 6749 5.1, with the ID token of OpenID Connect Core 3.1.3.3. */
export interface ClientTokenResponse {
  readonly access_token: string;
  /** DPoP: the access token is bound to a key (RFC 9449 5). */
  readonly token_type: 'bearer' | 'DPoP';
  /** Seconds. */
  readonly expires_in: number;
  readonly refresh_token?: string;
  readonly id_token?: string;
  /** Where it differs from what was asked for. */
  readonly scope?: string;
}

/** A request to the token endpoint. */
export interface TokenRequest {
  readonly client: Client;
  /** For the proof of a key. */
  readonly request: ProvingRequest;
  readonly presented: PresentedClient;
  readonly parameters: TokenParameters;
}
