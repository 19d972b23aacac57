import { apiError } from '../errors.js';
import { json } from '../http/types.js';
import { assertAssurance } from '../sessions/assurance.js';
import { requireLinkTarget } from '../sessions/caller.js';
import { renderTokens } from '../sessions/open.js';
import { assertWalletsOn } from '../wallets/wallet-switches.js';
import { clientOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import { linkErrors, newLinkErrors, ok, walletErrors } from './shared/docs.js';
import { fields } from './shared/fields.js';

export const postWeb3Nonce = defineEndpoint({
  method: 'POST',
  path: '/web3/nonce',
  assertOn: assertWalletsOn,
  caller: 'none',
  limit: 'web3',
  id: 'createWalletNonce',
  tag: 'Sign-in',
  summary: 'Returns a nonce for a message that a wallet signs.',
  answers: ok('WalletNonce', 'The nonce.'),
  errors: ['web3Disabled'],
  handler: async (app) =>
    json((await import('../wallets/wallet-nonce.js')).issueNonce(app), 200, { 'Cache-Control': 'no-store' }),
});

export const postUserIdentityWeb3 = defineEndpoint({
  method: 'POST',
  path: '/user/identities/web3',
  assertOn: assertWalletsOn,
  caller: 'user',
  secondFactor: 'asked',
  limit: 'web3',
  body: fields('chain', 'message', 'signature'),
  id: 'linkWallet',
  tag: 'Providers',
  summary: 'Adds a wallet to the account.',
  answers: ok('TokenResponse', 'Added; the tokens are of a new session.'),
  errors: [...newLinkErrors, ...walletErrors, ...linkErrors, 'accessTokenTooLong', 'overloaded'],
  async handler(app, request) {
    if (!app.config.securityManualLinkingEnabled) throw apiError('manualLinkingDisabled');
    const target = requireLinkTarget(request.caller);
    await assertAssurance(app, request.caller, 'aalForAccess');
    const { chain, message = '', signature = '' } = request.body;
    const { linkWallet } = await import('../wallets/wallet-sign-in.js');
    const answer = await linkWallet(app, clientOf(request), { chain, message, signature }, target);
    return { status: 200, json: renderTokens(answer) };
  },
});
