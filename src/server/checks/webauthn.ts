import { loadConfiguration } from '../cli/configuration.js';
import { type Command, EXIT } from '../cli/types.js';
import { callOut } from '../outbound/outbound.js';
import { isOnRpDomain, relyingPartyOf } from '../webauthn/relying-party.js';

const TOTAL_SECONDS = 5;
/** As many different sites as browsers read at least (WebAuthn Level 3, 5.11.1). */
const MAX_RELATED_LABELS = 5;

export const checkWebauthn: Command = {
  summary: 'Prove the relying party of passkeys against its origins',
  help: `Shows for each origin of AUTH_WEBAUTHN_RP_ORIGINS whether its pages may use AUTH_WEBAUTHN_RP_ID by themselves, or only as
a related origin; if there are related ones, fetches https://RP ID/.well-known/webauthn, which has to list them. Exits with 0
if every origin works, with 1 if not.`,
  options: {},
  run: async ({ configFiles }, io) => {
    const { config } = await loadConfiguration({ configFiles }, io);
    if (!config.passkeyEnabled && !config.mfaWebAuthnEnrollEnabled && !config.mfaWebAuthnVerifyEnabled) {
      io.err(
        'latchkey check webauthn: AUTH_PASSKEY_ENABLED and AUTH_MFA_WEB_AUTHN_… are off, so nothing uses WebAuthn.\n',
      );
      return EXIT.failed;
    }
    const { id, name, origins } = relyingPartyOf(config);
    io.out(`relying party  ${id} (${name})\n`);
    const related = origins.filter((origin) => /^https?:/.test(origin) && !isOnRpDomain(id, origin));
    const listed = related.length === 0 ? [] : await readListed(id);
    for (const origin of origins) {
      if (isOnRpDomain(id, origin)) io.out(`ok       ${origin}\n`);
      else if (!related.includes(origin)) io.out(`app      ${origin}  the app must be associated with ${id}\n`);
      else if (typeof listed === 'string') io.out(`refused  ${origin}  not on ${id}, and ${listed}\n`);
      else if (listed.includes(origin)) io.out(`related  ${origin}  listed by https://${id}/.well-known/webauthn\n`);
      else io.out(`refused  ${origin}  not on ${id}, and not listed by https://${id}/.well-known/webauthn\n`);
    }
    const labels = new Set(related.map((origin) => new URL(origin).hostname.split('.').at(-2)));
    const isTooMany = labels.size > MAX_RELATED_LABELS;
    if (isTooMany) io.out(`Browsers may read only ${MAX_RELATED_LABELS} different sites of related origins.\n`);
    const isMissing = related.some((origin) => typeof listed === 'string' || !listed.includes(origin));
    return isMissing || isTooMany ? EXIT.failed : EXIT.ok;
  },
};

/** @returns the origins, or why there are none */
async function readListed(rpId: string): Promise<readonly string[] | string> {
  const url = `https://${rpId}/.well-known/webauthn`;
  try {
    const { status, text } = await callOut({ url, totalSeconds: TOTAL_SECONDS });
    if (status !== 200) return `${url} answers ${status}`;
    const { origins } = JSON.parse(text) as { origins?: unknown };
    return Array.isArray(origins) ? origins.map(String) : `${url} has no list of origins`;
  } catch (error) {
    return `${url} cannot be read: ${(error as Error).message}`;
  }
}
