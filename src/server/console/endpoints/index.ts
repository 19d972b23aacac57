/**
 * Every endpoint of the console, each with its role (SEC-59). They are served on AUTH_CONSOLE_PORT only; the table of the API
 * is src/server/endpoints/index.ts.
 */
import type { ConsoleEndpoint } from '../define-console.js';
import * as me from './me.js';
import * as operators from './operators.js';
import * as signIn from './sign-in.js';

export const consoleEndpoints: readonly ConsoleEndpoint[] = [
  signIn.getSignIn,
  signIn.postSignInPassword,
  signIn.postSignInPasskeyOptions,
  signIn.postSignInPasskey,
  signIn.postLink,
  signIn.postLinkPasskeyOptions,
  signIn.postLinkPasskey,
  signIn.postLinkAuthenticator,
  signIn.postLinkPassword,
  signIn.postLinkSession,
  me.getMe,
  me.postMeStepUp,
  me.deleteMeSession,
  me.deleteMeSessionById,
  me.postMePasskeyOptions,
  me.postMePasskey,
  me.deleteMePasskey,
  operators.getOperators,
  operators.postOperators,
  operators.putOperator,
  operators.postOperatorReset,
  operators.deleteOperatorById,
];
