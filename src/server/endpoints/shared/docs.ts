/** Query parameters, answers and errors that several endpoints share. */
import type { ErrorName } from '../../errors.js';
import type { DocumentedAnswer } from '../../openapi/contract.js';

export const text = (description: string) => ({ type: 'string', description }) as const;
const count = (description: string) => ({ type: 'integer', minimum: 0, description }) as const;

export const redirectQuery = {
  redirect_to: text(
    'Redirect target of links; must be allowed, else SITE_URL. Also accepted as a header of that name.',
  ),
};
export const pageQuery = {
  page: count('Number of the page; default 1.'),
  per_page: count('Rows per page; default 50.'),
};
export const cursorQuery = {
  limit: count('Rows per page with a cursor; default 50; more than 1000 count as 1000.'),
  cursor: text('Empty for the first page, then next_cursor of the previous one.'),
};

export const ok = (body: string, description: string): Record<string, DocumentedAnswer> => ({
  200: { description, body },
});
export const redirectAnswer = (description: string): DocumentedAnswer => ({
  description,
  headers: { Location: 'The redirect target.' },
});
export const sent = ok('Empty', 'Sent, if there is a recipient; the answer is the same otherwise.');
export const page = (description: string, body: DocumentedAnswer['body']): Record<string, DocumentedAnswer> => ({
  200: {
    description,
    body: body!,
    headers: {
      'X-Total-Count': 'Number of rows of all pages; not with a cursor.',
      Link: 'The next and the last page (RFC 8288).',
    },
  },
});

export const pkceErrors: readonly ErrorName[] = ['pkceIncomplete', 'pkceChallengeLength', 'pkceMethod'];
export const sendErrors: readonly ErrorName[] = [
  'tooSoonForEmail',
  'overEmailQuota',
  'emailInvalid',
  'emailAddressInvalid',
  'ssoRequired',
  'smsSendFailed',
];
/** For endpoints that send messages and accept metadata. */
export const signUpErrors: readonly ErrorName[] = [...sendErrors, ...pkceErrors, 'accessTokenTooLong'];
export const userErrors: readonly ErrorName[] = ['userNotFound', 'userIdNotUuid'];
export const contactErrors: readonly ErrorName[] = ['emailExists', 'phoneRegistered', 'emailInvalid', 'phoneInvalid'];
export const ownIdErrors: readonly ErrorName[] = ['idNotUuid', 'idNil', 'idTaken'];
export const linkErrors: readonly ErrorName[] = [
  'identityAlreadyLinked',
  'identityOfOtherUser',
  'linkedEmailExists',
  'linkedEmailNotConfirmed',
];
export const walletErrors: readonly ErrorName[] = [
  'web3Disabled',
  'web3ChainDisabled',
  'web3UnsupportedChain',
  'walletMessageInvalid',
  'walletRefused',
  'walletNetworkUnavailable',
];
export const linkingErrors: readonly ErrorName[] = ['manualLinkingDisabled', 'anonymousNotAllowed'];
export const newLinkErrors: readonly ErrorName[] = [...linkingErrors, 'ssoLinking', 'sessionNotFound'];

export const passkeyVerifyErrors: readonly ErrorName[] = [
  'passkeyChallengeRequired',
  'passkeyCredentialRequired',
  'passkeyChallengeNotUuid',
  'webauthnChallengeNotFound',
  'webauthnChallengeExpired',
  'webauthnResponseUnreadable',
  'webauthnResponseFalse',
];

/** The metadata of an access token has up to 9 kB as JSON, 54 kB with every character escaped. */
export const METADATA_BODY_BYTES = 131_072;
