import type { Config } from '../config/settings.js';

const MAX_LENGTH = 300;

/**
 * Makes an error text of a gateway safe for responses and logs: a gateway may quote the request, with the code and our keys
 * (SEC-71, SEC-74).
 */
export function redact(text: string, config: Config, code: string): string {
  const secrets = [
    config.smsTwilioAuthToken,
    config.smsTwilioAccountSid,
    config.smsMessagebirdAccessKey,
    config.smsTextlocalApiKey,
    config.smsVonageApiKey,
    config.smsVonageApiSecret,
    code,
  ];
  let clean = text;
  for (const secret of secrets) if (secret !== '') clean = clean.replaceAll(secret, '…');
  return clean.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').slice(0, MAX_LENGTH);
}
