/** The console for operators. */
import type { ErrorEntries } from './entry.js';

export const consoleEntries = {
  consoleHostUnknown: [421, 'console_host', 'The console is not served under this host: see AUTH_CONSOLE_URL'],
  consoleFromElsewhere: [403, 'console_origin', 'The request does not come from a page of the console'],
  operatorSignedOut: [401, 'operator_signed_out', 'Sign in to the console first'],
  operatorRoleTooLow: [403, 'operator_role', 'This needs the role <role>'],
  operatorStepUpNeeded: [403, 'operator_step_up', 'Confirm first that it is you'],
  operatorSignInRefused: [401, 'operator_sign_in', 'Name, password or code is wrong'],
  operatorLinkUnknown: [403, 'operator_link', 'The link is unknown, was used, or is older than 15 minutes'],
  operatorCodeWrong: [422, 'operator_code', 'The code is wrong: check the time of the device that shows it'],
  operatorPasskeysOff: [422, 'operator_passkeys', 'Passkeys need https and a host name, or localhost'],
  operatorNameInvalid: [
    422,
    'operator_name',
    'A name has 2 to 64 letters, digits, and . _ @ + - and begins with a letter or digit',
  ],
  operatorNameTaken: [409, 'operator_exists', 'There is an operator of this name'],
  operatorNotFound: [404, 'operator_not_found', 'There is no such operator'],
  operatorLastOwner: [409, 'operator_last_owner', 'One owner has to remain'],
  operatorSelf: [409, 'operator_self', 'Another operator has to do this'],
  operatorLastFactor: [409, 'operator_last_factor', 'There is no such passkey, or it is the last way to sign in'],
  userChangedMeanwhile: [412, 'user_changed', 'The user has been changed since you read it'],
  userSessionNotFound: [404, 'user_session_not_found', 'The user has no such session, or not any more'],
  userNotNamed: [422, 'user_not_named', 'What was typed is not the address, number or id of this user'],
} as const satisfies ErrorEntries;
