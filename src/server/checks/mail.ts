import { domainOf, spellDomain } from '../accounts/addresses.js';
import { loadConfiguration } from '../cli/configuration.js';
import { type Command, EXIT } from '../cli/types.js';
import { openTxtLookup } from '../domains/txt-lookup.js';
import { readSenderRecords } from '../mail/sender-records.js';

export const checkMail: Command = {
  summary: 'Look at what the DNS says of the sender: SPF, DKIM, DMARC',
  help: `Reads the DNS records of the domain of AUTH_SMTP_ADMIN_EMAIL by which others judge its mails: SPF, DMARC, and with --selector
the key of DKIM. Explains what is missing. Sends nothing: latchkey check smtp does. Exits with 1 if there is a problem, and
with 2 without a sender.`,
  options: {
    selector: { type: 'string', argument: 'NAME', doc: 'of the DKIM key, as your mail provider names it' },
    json: { type: 'boolean', doc: 'print one JSON object' },
  },
  run: async ({ values, configFiles }, io) => {
    const { config } = await loadConfiguration({ configFiles }, io);
    const domain = spellDomain(domainOf(config.smtpAdminEmail));
    if (domain === '') {
      io.err('AUTH_SMTP_ADMIN_EMAIL is unset, so mails have no sender: set it, for example in .env\n');
      return EXIT.wrongUsage;
    }
    const lookup = openTxtLookup(config);
    const findings = await readSenderRecords(domain, values['selector'] as string | undefined, lookup.read);
    const ok = !findings.some(({ kind }) => kind === 'wrong');
    if (values['json'] === true) io.out(`${JSON.stringify({ ok, domain, findings }, null, 2)}\n`);
    else {
      io.out(findings.map(({ kind, text }) => `${kind.padEnd(5)}  ${text}\n`).join(''));
      io.out(ok ? '\nThe records of the sender are there.\n' : '\nMails from this sender are likely to end as spam.\n');
    }
    return ok ? EXIT.ok : EXIT.failed;
  },
};
