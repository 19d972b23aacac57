/** What a client says of logouts: OpenID Connect RP-Initiated Logout 1.0, 3.1, and Back-Channel Logout 1.0, 2.2. */
import type { NewClient } from '../../db/oauth-clients.js';
import { type ApiError, apiError } from '../errors.js';
import { isCallable } from '../outbound/loopback.js';
import type { App } from '../runtime/app.js';
import { findRedirectUriFault } from './redirect-uri.js';

/** As sent; every field may be absent. */
export interface GivenLogoutFields {
  readonly post_logout_redirect_uris?: readonly string[];
  readonly backchannel_logout_uri?: string;
  readonly backchannel_logout_session_required?: boolean;
}

export type LogoutFields = Pick<
  NewClient,
  'post_logout_redirect_uris' | 'backchannel_logout_uri' | 'backchannel_logout_session_required'
>;

export const usualLogoutFields: LogoutFields = {
  post_logout_redirect_uris: [],
  backchannel_logout_uri: null,
  backchannel_logout_session_required: false,
};

const MAX_REDIRECT_URIS = 10;
const MAX_URI = 2048;

const invalid = (reason: string): ApiError => apiError('clientMetadataInvalid', { reason });

/** Those fields that are present. @throws ApiError clientMetadataInvalid, clientRedirectUriInvalid */
export function readLogoutFields(app: Pick<App, 'config'>, given: GivenLogoutFields): Partial<LogoutFields> {
  const {
    post_logout_redirect_uris: uris,
    backchannel_logout_uri: uri,
    backchannel_logout_session_required: isSessionRequired,
  } = given;
  return {
    ...(uris !== undefined && { post_logout_redirect_uris: readRedirects(uris) }),
    ...(uri !== undefined && { backchannel_logout_uri: uri === '' ? null : readReceiver(app, uri) }),
    ...(isSessionRequired !== undefined && { backchannel_logout_session_required: isSessionRequired }),
  };
}

function readRedirects(uris: readonly string[]): readonly string[] {
  const refuse = (reason: string) =>
    apiError('clientRedirectUriInvalid', { reason: `post_logout_redirect_uris ${reason}` });
  if (uris.length > MAX_REDIRECT_URIS) throw refuse(`may have at most ${MAX_REDIRECT_URIS} entries`);
  for (const uri of uris) {
    const fault = findRedirectUriFault(uri);
    if (fault !== null) throw refuse(`has an entry that ${fault}`);
  }
  return [...new Set(uris)];
}

/** This server calls it: https, or this machine where OUTBOUND_PRIVATE_HOSTS lists it. */
function readReceiver({ config }: Pick<App, 'config'>, text: string): string {
  const url = text.length <= MAX_URI && URL.canParse(text) ? new URL(text) : null;
  if (
    url === null ||
    !isCallable(url, config.outboundPrivateHosts) ||
    text.includes('#') ||
    url.username !== '' ||
    url.password !== ''
  ) {
    throw invalid('backchannel_logout_uri must be an https URL without fragment');
  }
  return text;
}
