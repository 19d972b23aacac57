/** What the forms of /ui/account/factors do. */
import { html } from '../../../html.js';
import { enrolFactor } from '../../factors/enrol.js';
import { deleteRecoveryCodes, generateRecoveryCodes, regenerateRecoveryCodes } from '../../factors/recovery-codes.js';
import { removeOwnDevices } from '../../factors/trust.js';
import { unenrolFactor } from '../../factors/unenrol.js';
import { keepSignIn } from '../browser.js';
import { type ShownSecret, secretOf } from '../mfa-page.js';
import type { PageOutcome } from '../outcome.js';
import { answerFactor, beginFactor, type MfaForm } from '../submit-mfa.js';
import type { Visit } from '../visit.js';
import { frameSection } from './account-frame.js';
import { type AccountVisit, sectionLink, submitToAccount } from './account-visit.js';
import { proofForm, showFactors } from './factors-section.js';
import { showNewCodes } from './recovery-part.js';

export interface FactorsForm extends MfaForm {
  readonly entry_id?: string;
  readonly friendly_name?: string;
  readonly phone?: string;
}

/** @throws ApiError those of the rules of factors/ */
export const submitFactors = (visit: Visit, sent: FactorsForm): Promise<PageOutcome> =>
  submitToAccount(visit, 'factors', (opened) => submit(opened, sent));

async function submit(visit: AccountVisit, sent: FactorsForm): Promise<PageOutcome> {
  const { app, client, caller } = visit;
  const { action = '', factor_id: factorId = '', entry_id = '' } = sent;
  const removed = { to: sectionLink(visit, 'factors', 'removed') };
  switch (action) {
    case 'totp':
    case 'phone':
    case 'webauthn':
      return enrol(visit, action, sent);
    case 'begin':
      return { view: frameSection(visit, await showFactors(visit, await beginFactor(visit, caller, factorId))) };
    case 'remove':
      await unenrolFactor(app, client, caller, factorId);
      return removed;
    case 'recovery':
      return { view: showNewCodes(visit, await generateRecoveryCodes(app, client, caller, '')) };
    case 'recovery_renew':
      return { view: showNewCodes(visit, await regenerateRecoveryCodes(app, client, caller)) };
    case 'recovery_remove':
      await deleteRecoveryCodes(app, client, caller);
      return removed;
    case 'device':
      await removeOwnDevices(app, client, caller, entry_id);
      return removed;
    case 'devices':
      await removeOwnDevices(app, client, caller, null);
      return removed;
    default: {
      const tokens = await answerFactor(visit, caller, sent);
      return { to: sectionLink(visit, 'factors', 'added'), secret: await keepSignIn(visit, tokens) };
    }
  }
}

async function enrol(
  visit: AccountVisit,
  kind: 'totp' | 'phone' | 'webauthn',
  sent: FactorsForm,
): Promise<PageOutcome> {
  const { app, client, caller, pages, words } = visit;
  const enrolled = await enrolFactor(app, client, caller, {
    factorType: kind,
    friendlyName: sent.friendly_name?.trim() || freeName(visit, kind),
    issuer: pages.name,
    phone: sent.phone?.replace(/[\s().-]/g, '') ?? '',
    replacesUnverified: true,
  });
  // A text or a security key needs a step of its own first; the page shows the factor with its button.
  if (kind !== 'totp') return { to: sectionLink(visit, 'factors') };
  const secret = secretOf(visit, enrolled['totp'] as ShownSecret);
  const factor = { id: String(enrolled['id']), kind, phone: null };
  return {
    view: frameSection(visit, html`<p>${words('mfa.enrol_scan')}</p>${secret}${proofForm(visit, factor, null)}`),
  };
}

/** Two factors of a user cannot have the same name. */
function freeName({ caller, words }: AccountVisit, kind: 'totp' | 'phone' | 'webauthn'): string {
  const name = words(`factors.name_${kind}`);
  const taken = new Set(
    (caller.user.factors ?? []).filter(({ status }) => status === 'verified').map((one) => one.friendly_name),
  );
  for (let n = 2; ; n++) {
    const candidate = n === 2 ? name : `${name} ${n - 1}`;
    if (!taken.has(candidate)) return candidate;
  }
}
