/** A domain with the record that proves it. The value is too long for a table. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type ApiFault, asFault, send } from '../core/api.js';
import { may, toast } from '../core/state.js';
import { Alert } from './alert.js';
import { Badge, Copy, type Detail, Details } from './details.js';

export interface ShownProof {
  readonly domain: string;
  readonly status: 'verified' | 'pending';
  readonly record: { readonly name: string; readonly type: string; readonly value: string };
}

interface DomainCardProps {
  readonly of: ShownProof;
  /** Path of the API at which the record is looked up. */
  readonly path: string;
  /** False where it counts without a proof. */
  readonly isNeeded?: boolean;
  readonly onChanged: () => Promise<unknown>;
  /** After those of the record. */
  readonly rows?: readonly Detail[];
  /** Further buttons. */
  readonly children?: ComponentChildren;
}

export function DomainCard({ of: proof, path, isNeeded = true, onChanged, rows = [], children }: DomainCardProps) {
  const { domain, status, record } = proof;
  const [fault, setFault] = useState<ApiFault | null>(null);
  const [isBusy, setBusy] = useState(false);
  const isVerified = status === 'verified';
  const tone = isVerified ? 'ok' : isNeeded ? 'warn' : 'plain';
  const verify = async () => {
    setBusy(true);
    setFault(null);
    try {
      await send('POST', path, { body: {} });
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
        {children}
      </div>
      <Details
        rows={[
          ['Record', record.type],
          ['Name', <Copy text={record.name} what={`the name of the record of ${domain}`} />],
          ['Value', <Copy text={record.value} what={`the value of the record of ${domain}`} />],
          ...rows,
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
