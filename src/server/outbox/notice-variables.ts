import type { NoticeFacts } from '../mail/contract.js';
import { unlinkName } from './unlinked-name.js';

/** The variables of a notice in a template. One that does not apply is absent and prints nothing. */
export function variablesOfNotice(notice: NoticeFacts): Readonly<Record<string, unknown>> {
  const { oldEmail, phone, oldPhone, provider, factorType, remainingCodes, removedPasskeys, organization, domain } =
    notice;
  const { ip, device, time, changedByAdmin } = notice;
  const texts = {
    OldEmail: oldEmail,
    Phone: phone,
    OldPhone: oldPhone,
    Provider: provider,
    FactorType: factorType,
    RemainingCodes: remainingCodes,
    RemovedPasskeys: removedPasskeys,
    Organization: organization && unlinkName(organization),
    Domain: domain,
    IP: ip,
    Device: device,
    Time: time.replace('T', ' ').replace('Z', ' UTC'),
  };
  const given = Object.entries(texts).filter(([, value]) => value !== null && value !== undefined);
  return { ...Object.fromEntries(given), ChangedByAdmin: changedByAdmin };
}
