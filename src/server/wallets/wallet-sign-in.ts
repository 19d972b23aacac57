/** Signs in with a wallet, or adds it to an account, by the rules of identity providers. */
import type { LinkTarget } from '../../db/flow-states.js';
import { linkIdentity, readWanted } from '../external/link-identity.js';
import { signInFromProvider } from '../external/provider-sign-in.js';
import type { ExternalProfile } from '../providers/contract.js';
import type { App, Client } from '../runtime/app.js';
import type { TokenResponse } from '../sessions/open.js';
import { type SignedMessage, type VerifiedWallet, verifyWallet } from './verify-wallet.js';

const PROVIDER = 'web3';

/**
 * The grant web3.
 * @param audience of a new account
 * @throws ApiError of {@link verifyWallet} and {@link signInFromProvider}
 */
export async function signInWithWallet(
  app: App,
  client: Client,
  signed: SignedMessage,
  audience: string,
): Promise<TokenResponse> {
  const wallet = await verifyWallet(app, client, signed);
  const { chain, message } = wallet;
  const outcome = await signInFromProvider(app, client, {
    provider: PROVIDER,
    // A wallet has no address.
    isEmailOptional: true,
    profile: describeWallet(wallet),
    traits: {
      chain,
      network: message.chainId,
      address: message.address,
      domain: message.domain,
      uri: message.uri.href,
    },
    audience,
    purpose: { kind: 'sign_in' },
    flow: null,
    trace: null,
  });
  return (outcome as { tokens: TokenResponse }).tokens;
}

/** @throws ApiError of {@link verifyWallet} and {@link linkIdentity} */
export async function linkWallet(
  app: App,
  client: Client,
  signed: SignedMessage,
  target: LinkTarget,
): Promise<TokenResponse> {
  const wallet = await verifyWallet(app, client, signed);
  return linkIdentity(app, client, readWanted(app, PROVIDER, describeWallet(wallet)), target, null);
}

function describeWallet({ chain, message, subject }: VerifiedWallet): ExternalProfile {
  const { address, chainId: network, domain, statement } = message;
  return {
    subject,
    claims: { sub: subject, custom_claims: { address, chain, network, domain, statement } },
    addresses: [],
  };
}
