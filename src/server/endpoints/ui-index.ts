/** The endpoints of the hosted pages, in the order of the documentation. */
import type { Endpoint } from './shared/define.js';
import {
  getUiAccount,
  getUiAccountApps,
  getUiAccountSessions,
  postUiAccount,
  postUiAccountApps,
  postUiAccountSessions,
} from './ui-account.js';
import {
  getUiAccountDelete,
  getUiAccountDownload,
  postUiAccountDelete,
  postUiAccountDownload,
} from './ui-account-data.js';
import {
  getUiAccountPassword,
  getUiAccountProfile,
  postUiAccountPassword,
  postUiAccountProfile,
} from './ui-account-profile.js';
import {
  getUiAccountFactors,
  getUiAccountIdentities,
  getUiAccountPasskeys,
  postUiAccountFactors,
  postUiAccountIdentities,
  postUiAccountPasskeys,
} from './ui-account-ways.js';
import {
  getUiCode,
  getUiLink,
  getUiRecover,
  getUiSignUp,
  postUiCode,
  postUiLink,
  postUiRecover,
  postUiSignUp,
} from './ui-accounts.js';
import { getUiAsset } from './ui-assets.js';
import { getUiConsent, getUiRefused, postUiConsent } from './ui-consent.js';
import { getUiDevice, postUiDevice } from './ui-device.js';
import { getUiLogout, postUiLogout } from './ui-logout.js';
import {
  getUiError,
  getUiMfa,
  getUiPassword,
  getUiSignedOut,
  postUiMfa,
  postUiPassword,
  postUiSignOut,
} from './ui-session.js';
import {
  getUiCompany,
  getUiContinue,
  getUiProvider,
  getUiReturn,
  getUiSignIn,
  postUiCompany,
  postUiPasskey,
  postUiSignIn,
} from './ui-sign-in.js';

export const pageEndpoints: readonly Endpoint[] = [
  getUiSignIn,
  postUiSignIn,
  postUiPasskey,
  getUiCompany,
  postUiCompany,
  getUiProvider,
  getUiReturn,
  getUiSignUp,
  postUiSignUp,
  getUiRecover,
  postUiRecover,
  getUiCode,
  postUiCode,
  getUiLink,
  postUiLink,
  getUiConsent,
  postUiConsent,
  getUiRefused,
  getUiDevice,
  postUiDevice,
  getUiMfa,
  postUiMfa,
  getUiPassword,
  postUiPassword,
  getUiContinue,
  postUiSignOut,
  getUiAccount,
  postUiAccount,
  getUiAccountProfile,
  postUiAccountProfile,
  getUiAccountPassword,
  postUiAccountPassword,
  getUiAccountPasskeys,
  postUiAccountPasskeys,
  getUiAccountFactors,
  postUiAccountFactors,
  getUiAccountIdentities,
  postUiAccountIdentities,
  getUiAccountSessions,
  postUiAccountSessions,
  getUiAccountApps,
  postUiAccountApps,
  getUiAccountDownload,
  postUiAccountDownload,
  getUiAccountDelete,
  postUiAccountDelete,
  getUiLogout,
  postUiLogout,
  getUiSignedOut,
  getUiError,
  getUiAsset,
];
