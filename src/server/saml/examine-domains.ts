/** What is wrong with the domains of an identity provider, as far as it shows without a sign-in. */
import type { SsoProviderRow } from '../../db/sso-providers.js';
import { proofRecordOf } from '../domains/domain-proof.js';
import type { Finding } from '../providers/stored/contract.js';

/**
 * @param others all providers; this one may be among them
 * @param needsProof whether a domain counts only once it is proven
 */
export function examineDomains(row: SsoProviderRow, others: readonly SsoProviderRow[], needsProof: boolean): Finding[] {
  const { domains, options, domain_proofs: proofs = [] } = row;
  const pending = needsProof ? proofs.filter(({ is_verified }) => !is_verified) : [];
  const counting = domains.filter((domain) => pending.every((other) => other.domain !== domain));
  const found: Finding[] = pending.map(({ domain, proof }) => {
    const { name, type, value } = proofRecordOf(domain, proof);
    const text = `The domain ${domain} is not proven, so its addresses are led nowhere: put up the ${type} record ${name} with the value ${value}, then POST /admin/sso/providers/${row.id}/domains/${domain}/verify.`;
    return { kind: 'wrong', text };
  });
  if (counting.length > 0) {
    found.push({ kind: 'fine', text: `Addresses of ${counting.join(', ')} are led to it.` });
  } else if (options.enforced === true) {
    const text = 'It is enforced and has no domains that count, so it concerns no address: add or prove domains.';
    found.push({ kind: 'wrong', text });
  } else if (domains.length === 0) {
    found.push({ kind: 'hint', text: 'It has no domains: only its id leads to it.' });
  }
  const rivals = others.filter(({ id }) => id !== row.id);
  return [...found, ...counting.flatMap((domain) => examineOverlaps(domain, rivals))];
}

/** A domain belongs to one provider. One below it may belong to another, which is easily missed. */
const examineOverlaps = (domain: string, rivals: readonly SsoProviderRow[]): Finding[] =>
  rivals.flatMap(({ id, disabled, domains }) =>
    domains
      .filter((other) => other.endsWith(`.${domain}`) || domain.endsWith(`.${other}`))
      .map((other) => {
        const ends = disabled === true ? 'are refused, since that is disabled' : 'are led there';
        const text = `${other} belongs to the provider ${id}: addresses of it ${ends}, and not here. If it is the same company, move that domain.`;
        return { kind: 'hint', text };
      }),
  );
