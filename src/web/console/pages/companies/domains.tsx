/** The domains of a company, and the records that prove them. */
import { useState } from 'preact/hooks';
import { type ApiFault, asFault, send } from '../../core/api.js';
import { may, toast } from '../../core/state.js';
import { Alert } from '../../parts/alert.js';
import { Badge, Copy, Details } from '../../parts/details.js';
import type { ShownCompany, ShownProof } from './shown-company.js';

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
        <DomainCard key={proof.domain} {...{ id, proof, isNeeded, onChanged }} />
      ))}
    </section>
  );
};

interface CardProps extends Pick<DomainsProps, 'onChanged'> {
  readonly id: string;
  readonly proof: ShownProof;
  readonly isNeeded: boolean;
}

function DomainCard({ id, proof: { domain, status, record }, isNeeded, onChanged }: CardProps) {
  const [fault, setFault] = useState<ApiFault | null>(null);
  const [isBusy, setBusy] = useState(false);
  const isVerified = status === 'verified';
  const tone = isVerified ? 'ok' : isNeeded ? 'warn' : 'plain';
  const verify = async () => {
    setBusy(true);
    setFault(null);
    try {
      await send('POST', `/api/sso-providers/${id}/domains/${encodeURIComponent(domain)}/verify`, { body: {} });
      toast(`${domain} is proved`);
      await onChanged();
    } catch (error) {
      setFault(asFault(error));
    }
    setBusy(false);
  };
  return (
    <div class="card">
      <div class="deeds">
        <h3>
          <bdi>{domain}</bdi> <Badge tone={tone}>{isVerified ? 'proved' : 'not proved'}</Badge>
        </h3>
        {may('admin') && (
          <button type="button" class="plain small" aria-busy={isBusy} onClick={() => void verify()}>
            {isVerified ? 'Verify again' : 'Verify'}
            <span class="hidden"> {domain}</span>
          </button>
        )}
      </div>
      <Details
        rows={[
          ['Record', record.type],
          ['Name', <Copy text={record.name} what={`the name of the record of ${domain}`} />],
          ['Value', <Copy text={record.value} what={`the value of the record of ${domain}`} />],
        ]}
      />
      {fault !== null && <Alert fault={fault}>{foundIn(fault)}</Alert>}
    </div>
  );
}

/** What the DNS has in its place. */
function foundIn({ body }: ApiFault) {
  const found = (body as { found?: readonly string[] } | undefined)?.found ?? [];
  if (found.length === 0) return null;
  return (
    <p class="small">
      The DNS has: <code class="break">{found.join(', ')}</code>
    </p>
  );
}
