import type { MailStage } from './mail-error.js';

/** @returns what an operator can do about a mail that failed at a stage */
export function cureFor(stage: MailStage): string {
  switch (stage) {
    case 'dns':
      return 'Check the spelling of AUTH_SMTP_HOST, and that this machine can look up names.';
    case 'connect':
      return 'Check AUTH_SMTP_HOST and AUTH_SMTP_PORT (usually 587 or 465), and that no firewall is in between.';
    case 'tls':
      return 'AUTH_SMTP_HOST must be the name in the certificate; AUTH_SMTP_PORT=465 is for servers that begin with TLS. A certificate of your own authority is trusted with NODE_EXTRA_CA_CERTS.';
    case 'greeting':
      return 'Servers on port 465 wait for TLS, others greet: check AUTH_SMTP_PORT, and whether the mail server knows this machine.';
    case 'auth':
      return 'Check AUTH_SMTP_USER and AUTH_SMTP_PASS.';
    case 'sender':
      return 'The mail server does not let you send as AUTH_SMTP_ADMIN_EMAIL: use an address it knows.';
    case 'recipient':
      return 'The mail server does not accept mails to that address; some accept only after signing in (AUTH_SMTP_USER).';
    case 'open':
      return 'Check AUTH_SMTP_SENDER_NAME and AUTH_SMTP_ADMIN_EMAIL.';
    case 'data':
      return 'The mail server did not take the mail; its reply says why.';
  }
}
