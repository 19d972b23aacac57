/** Causes that share one error. They are recorded, and never told to the client. */
import type { CheckName } from './check-names.js';

/** Name → in words, and the check that fails where it is another one than that of the error. */
export const reasons: Readonly<Record<string, readonly [words: string, check?: CheckName]>> = {
  no_account: ['No account has this address. Look for a typing error, or for an account that signs in another way.'],
  no_password: ['The account has no password: it signs in with a provider, a passkey or a link.'],
  wrong_password: ['The account exists, and the password was wrong.'],
  password_too_long: ['No password is that long, so none was checked.'],
  changed_meanwhile: ['The account was changed, banned or deleted during the sign-in.'],

  token_unknown: ['The token was not made by this server, or with a secret it does not know.'],
  session_gone: ['The session of the token was deleted: it ended more than a day ago, or its user is gone.'],
  session_ended: ['The session was ended: by signing out, a new password, or a reused token.', 'session'],
  session_ended_by_ban: ['The session was ended when the user was banned.', 'session'],
  token_of_other_client: ['The session belongs to another OAuth client.'],
  token_from_backup: ['The token is newer than its session: the database was restored from a backup.'],
  token_before_factor: ['The token is from before a second factor was verified in another tab.'],
  token_reused: ['The token had been used before: its session was ended, since it may be stolen.'],

  code_unknown: ['There is no such code or link: wrong, used, or replaced by a newer one.'],
  code_of_other_type: ['The link is one of another type.'],
  invitation_over: ['The inviter may not give the roles of the invitation any more, or one of them is gone.'],
  code_expired: ['The code or link was right, but too old.'],
};
