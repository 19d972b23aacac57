import type { MailKind } from './contract.js';

// Mail programs know little CSS: it stands in style attributes, and colours are either unset or good on light and dark.
const FONT = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const BUTTON =
  'display:inline-block;padding:12px 20px;border-radius:6px;background-color:#2457c5;color:#ffffff;text-decoration:none;font-weight:600';
const CODE = 'margin:0;font-family:Consolas,Menlo,monospace;font-size:28px;letter-spacing:4px';

/** The built-in bodies: a heading, one sentence, the link as a button, and the code for those who would rather type. */
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
};

function page(heading: string, sentence: string, action: string): string {
  const link = `{{ if .ConfirmationURL }}<p style="margin:0 0 24px"><a href="{{ .ConfirmationURL }}" style="${BUTTON}">${action}</a></p>
<p style="margin:0 0 8px">Or enter this code:</p>
{{ end }}`;
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
${action === '' ? '' : link}<p style="${CODE}">{{ .Token }}</p>
</div>
</body>
</html>
`;
}
