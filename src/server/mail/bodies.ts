import type { MailKind } from '../message-kinds.js';

// Mail clients support little CSS: style attributes, and colours that work on light and dark.
const FONT = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const BUTTON =
  'display:inline-block;padding:12px 20px;border-radius:6px;background-color:#2457c5;color:#ffffff;text-decoration:none;font-weight:600';
const CODE = 'margin:0;font-family:Consolas,Menlo,monospace;font-size:28px;letter-spacing:4px';

const CIRCUMSTANCES = [
  '{{ if .ChangedByAdmin }}An administrator made this change{{ else }}This happened{{ end }} on {{ .Time }}',
  '{{ if .Device }} with {{ .Device }}{{ end }}{{ if .IP }} from the address {{ .IP }}{{ end }}.',
].join('');

/** The built-in bodies: a heading, one sentence, the link as a button, and the code. */
export const builtInBodies: Readonly<Record<MailKind, string>> = {
  confirmation: page(
    'Confirm your email address',
    'Somebody, hopefully you, signed up at {{ .SiteURL }} with this address.',
    'Confirm email address',
  ),
  invite: page(
    'You are invited',
    'You have been invited to create an account at {{ .SiteURL }}.',
    'Accept the invitation',
  ),
  organization_invite: page(
    'You are invited to {{ .Organization }}',
    '{{ if .Inviter }}{{ .Inviter }} invites you{{ else }}You are invited{{ end }} to join {{ .Organization }} at {{ .SiteURL }}. If you do not know them, nothing needs to be done.',
    'Join {{ .Organization }}',
    false,
  ),
  recovery: page(
    'Reset your password',
    'Follow this link to choose a new password for {{ .Email }}; if you did not ask for it, nothing needs to be done.',
    'Choose a new password',
  ),
  magic_link: page(
    'Sign in',
    'Follow this link to sign in to {{ .SiteURL }}; if you did not ask for it, nothing needs to be done.',
    'Sign in',
  ),
  email_change: page(
    'Confirm your new email address',
    'Confirm that the address of your account changes from {{ .Email }} to {{ .NewEmail }}.',
    'Confirm the change',
  ),
  reauthentication: page(
    'Confirm that it is you',
    'Enter this code where you were asked for it; if you were not asked, somebody else may be using your account.',
    '',
  ),
  password_changed_notification: notice('Your password was changed', 'The password of your account was changed.'),
  email_changed_notification: notice(
    'Your email address was changed',
    'The address of your account was changed from {{ .OldEmail }} to {{ .Email }}.',
    'Take the old address back',
  ),
  phone_changed_notification: notice(
    'Your phone number was changed',
    'The phone number of your account was changed from {{ .OldPhone }} to {{ .Phone }}.',
  ),
  identity_linked_notification: notice(
    'A new sign-in method was linked',
    'You can now sign in to your account with {{ .Provider }}.',
  ),
  identity_unlinked_notification: notice(
    'A sign-in method was removed',
    'Your account can no longer be signed in to with {{ .Provider }}.',
  ),
  mfa_factor_enrolled_notification: notice(
    'A verification method was added',
    'Your account has a new second factor ({{ .FactorType }}).',
  ),
  mfa_factor_unenrolled_notification: notice(
    'A verification method was removed',
    'A second factor ({{ .FactorType }}) was removed from your account.',
  ),
  mfa_factors_reset_notification: notice(
    'All verification methods were removed',
    'All second factors{{ if .RemovedPasskeys }} and passkeys{{ end }} were removed from your account. Add one again after your next sign-in.',
  ),
  mfa_recovery_code_used_notification: notice(
    'A recovery code was used',
    'A recovery code of your account was used. Codes that are left: {{ .RemainingCodes }}.',
  ),
  mfa_recovery_codes_regenerated_notification: notice(
    'Your recovery codes were replaced',
    'Your account has new recovery codes. The earlier ones no longer work.',
  ),
  passkey_added_notification: notice('A passkey was added', 'You can now sign in to your account with a new passkey.'),
  passkey_removed_notification: notice(
    'A passkey was removed',
    'A passkey of your account can no longer be used to sign in.',
  ),
  sign_in_new_device_notification: notice(
    'A new device signed in',
    'Your account was signed in to on a device that it had not used before.',
  ),
  recovery_used_notification: notice(
    'Your account was recovered',
    'A recovery link or code was used to sign in to your account.',
  ),
  first_proof_notification: notice(
    'Earlier access was removed',
    'This address was proven for the first time. The password, devices, passkeys and sign-in methods that your account had before can no longer be used; choose a new password at {{ .SiteURL }}.',
  ),
  sessions_revoked_notification: notice(
    'Your other sessions were ended',
    'Devices that were signed in to your account have to sign in again.',
  ),
  account_deleted_notification: notice('Your account was deleted', 'Your account at {{ .SiteURL }} was deleted.'),
  impersonated_notification: notice(
    'Support signed in to your account',
    'A member of the support team acts for you in your account for up to 15 minutes, without your password.',
  ),
  organization_domain_lost_notification: page(
    'A domain no longer counts',
    'The TXT record of {{ .Domain }} has been missing for 30 days, so it is no longer a verified domain of {{ .Organization }}: no one joins by it any more. Put the record up again and verify the domain, or remove it.',
    '',
  ),
  password_leaked_notification: page(
    'Choose a new password',
    'The password of your account is in a list of leaked passwords, which attackers try. Choose a new one at {{ .SiteURL }}, and everywhere else you use it. It was used on {{ .Time }}{{ if .Device }} with {{ .Device }}{{ end }}{{ if .IP }} from the address {{ .IP }}{{ end }}.',
    '',
  ),
};

/** A body without code. @param sentence what has changed @param undo text of the link that undoes it */
function notice(heading: string, sentence: string, undo = ''): string {
  const advice =
    '{{ if not .ChangedByAdmin }} If it was not you, choose a new password at {{ .SiteURL }} at once.{{ end }}';
  const button = `</p>{{ if .UndoURL }}<p style="margin:0 0 24px"><a href="{{ .UndoURL }}" style="${BUTTON}">${undo}</a></p>{{ end }}<p>`;
  return page(heading, `${sentence} ${CIRCUMSTANCES}${advice}${undo === '' ? '' : button}`, '');
}

function page(heading: string, sentence: string, action: string, hasCode = true): string {
  const orCode = hasCode ? '<p style="margin:0 0 8px">Or enter this code:</p>\n' : '';
  const link = `{{ if .ConfirmationURL }}<p style="margin:0 0 24px"><a href="{{ .ConfirmationURL }}" style="${BUTTON}">${action}</a></p>
${orCode}{{ end }}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${heading}</title>
</head>
<body style="margin:0;padding:0">
<div style="max-width:520px;margin:0 auto;padding:32px 24px;${FONT};font-size:16px;line-height:1.5">
<h2 style="margin:0 0 16px;font-size:22px;line-height:1.3">${heading}</h2>
<p style="margin:0 0 24px">${sentence}</p>
${action === '' ? '' : link}{{ if .Token }}<p style="${CODE}">{{ .Token }}</p>{{ end }}
</div>
</body>
</html>
`;
}
