/** The domains of a company, and the records that prove them. */
import { DomainCard } from '../../parts/domain-card.js';
import type { ShownCompany } from './shown-company.js';

interface DomainsProps {
  readonly company: ShownCompany;
  readonly onChanged: () => Promise<unknown>;
}

export const Domains = ({ company, onChanged }: DomainsProps) => {
  const { id, proofs, needs_proof: isNeeded } = company;
  return (
    <section>
      <h2>Domains</h2>
      <p>
        {proofs.length === 0
          ? 'None: only its id leads to it.'
          : isNeeded
            ? 'A domain counts once its record was seen in the DNS: only those who own it can put that up.'
            : 'They count as they are. AUTH_SAML_REQUIRE_DOMAIN_PROOF makes each count only once its record was seen in the DNS; verify them before.'}
      </p>
      {proofs.map((proof) => (
        <DomainCard
          key={proof.domain}
          of={proof}
          path={`/api/sso-providers/${id}/domains/${encodeURIComponent(proof.domain)}/verify`}
          {...{ isNeeded, onChanged }}
        />
      ))}
    </section>
  );
};
