import type { adminEntries } from '../../errors/admin-errors.js';
import type { consoleEntries } from '../../errors/console-errors.js';
import type { pageEntries } from '../../errors/page-errors.js';
import type { Explanations } from './check-names.js';

const fixCall = 'The program that calls the admin API has to change: the msg of its answer says where.';
const gone = 'It was deleted, or the id is of another installation.';

export const adminExplanations = {
  adminContactMissing: ['input', 'A user needs an email address or a number.'],
  phoneRegistered: ['duplicate', 'Another user has this number.'],
  passwordOrHash: ['input', 'Send a password or a hash of it, not both.'],
  passwordHashUnusable: ['input', 'The hash is of an unknown kind, or costs too much to check.'],
  idNotUuid: ['input', fixCall],
  idNil: ['input', fixCall],
  idMismatch: ['input', fixCall],
  idTaken: ['duplicate', 'There is a user with this id already.'],
  banDurationInvalid: ['input', 'A duration looks like 24h, or none.'],
  userIdNotUuid: ['input', fixCall],
  userNotFound: ['object', gone],
  factorIdNotUuid: ['input', fixCall],
  factorNotFound: ['object', gone],
  trustedDeviceNotFound: ['object', gone],
  badPagination: ['input', fixCall],
  badSort: ['input', fixCall],
  badFilter: ['input', fixCall],
  queryScopeInvalid: ['input', 'The query of the audit log begins with author:, action: or type:.'],
  linkTypeInvalid: ['input', fixCall],
  linkUserNotFound: ['object', 'No user has this address.'],
  secureEmailChangeNeeded: [
    'input',
    'A link for the current address is only needed where both addresses confirm a change.',
    'AUTH_MAILER_SECURE_EMAIL_CHANGE_ENABLED',
  ],
  customProvidersDisabled: ['switch', 'Providers in the database are switched off.', 'AUTH_CUSTOM_OAUTH_ENABLED'],
  customProviderNotFound: ['object', gone],
  customProviderExists: ['duplicate', 'There is a provider of this name already.'],
  overCustomProviderQuota: ['factor_limit', 'Remove a provider first.', 'AUTH_CUSTOM_OAUTH_MAX_PROVIDERS'],
  webhookNotFound: ['object', gone],
  webhookDeliveryNotFound: ['object', 'The delivery is done, or too old.', 'AUTH_WEBHOOKS_RETENTION'],
  webhookConfigured: ['permission', 'Change it where it is set.', 'AUTH_WEBHOOKS_URL', 'AUTH_WEBHOOKS_EVENTS'],
} as const satisfies Explanations<typeof adminEntries>;

export const pageExplanations = {
  pagesDisabled: ['switch', 'The hosted pages are switched off.', 'AUTH_PAGES_ENABLED'],
  refusalNotFound: ['object', 'The link was cut or changed.'],
  assetNotFound: ['endpoint', 'A page of an older release asks for its files, or somebody tries addresses.'],
  formFromElsewhere: [
    'origin',
    'The form was sent from another site. If it was yours, the origin that browsers see is not that of AUTH_API_EXTERNAL_URL.',
    'AUTH_API_EXTERNAL_URL',
  ],
  formOutdated: ['form', 'The page was open for too long, or cookies are blocked. It works after loading it again.'],
} as const satisfies Explanations<typeof pageEntries>;

export const consoleExplanations = {
  consoleHostUnknown: ['origin', 'The console was opened under another name than it knows.', 'AUTH_CONSOLE_URL'],
  consoleFromElsewhere: ['origin', 'The request does not come from a page of the console.', 'AUTH_CONSOLE_URL'],
  operatorSignedOut: ['caller', 'Sign in to the console.'],
  operatorRoleTooLow: ['permission', 'Ask an owner for a higher role.'],
  operatorStepUpNeeded: ['assurance', 'Show the passkey, or the code, again.'],
  operatorSignInRefused: ['credentials', 'Name, password or code were wrong. An owner can send a new link.'],
  operatorLinkUnknown: ['code', '`latchkey operators` makes a new link.'],
  operatorCodeWrong: ['factor', 'Check the time of the device that shows the code.'],
  operatorPasskeysOff: ['method', 'Passkeys need https and a host name, or localhost.', 'AUTH_CONSOLE_URL'],
  operatorNameInvalid: ['input', 'Choose another name.'],
  operatorNameTaken: ['duplicate', 'Choose another name.'],
  operatorNotFound: ['object', 'The operator was removed.'],
  operatorLastOwner: ['permission', 'Make another operator owner first.'],
  operatorSelf: ['permission', 'Another operator has to do this.'],
  userNotImpersonable: ['permission', 'The message says why no operator acts for this user.'],
  impersonationChoiceKept: ['permission', 'The application changes app_metadata.no_impersonation for its user.'],
  providerUnknown: ['object', 'The page of providers lists their names.'],
  traceNotFound: ['object', 'Traces stay for a day. Open another one.'],
  hookUnknown: ['object', 'The page of hooks lists their names.'],
  hookNotCallable: [
    'hook',
    'Set the address of the hook; a function in the database is called only while its hook is on.',
  ],
  hookEventUnknown: ['input', 'The message lists the events of this hook.'],
  operatorLastFactor: ['permission', 'Add another way to sign in first.'],
  userChangedMeanwhile: ['input', 'Somebody else changed the user: read it again.'],
  userSessionNotFound: ['object', 'The session has ended.'],
  refusalNotRecorded: ['object', 'The request was answered, is older than seven days, or was one of too many.'],
  checkUnknown: ['object', 'There is no such check.'],
  checkArgument: ['input', 'Choose one of those that are offered.'],
  checkRunning: ['duplicate', 'Wait until the check has ended.'],
  operatorHasNoAddress: ['permission', 'Only an operator whose name is an address can get mails.'],
  messageKindUnknown: ['object', 'There is no such kind of message.'],
  exampleDataInvalid: ['input', 'The data has to be a JSON object.'],
  mailOff: ['method', 'The server sends no mail until its SMTP server is set.', 'AUTH_SMTP_HOST'],
  limitNotFound: ['object', 'The counter has expired, or was forgiven.'],
  signingKeyNotFound: ['object', 'There is no such signing key.'],
  signingKeyState: ['input', 'The key is in another stage: the msg of the answer says which.'],
  signingKeysInSettings: ['permission', 'Change the keys where the settings are.', 'AUTH_JWT_KEYS_SOURCE'],
  userNotNamed: ['input', 'Type the address, number or id of the user.'],
} as const satisfies Explanations<typeof consoleEntries>;
