/** Tests of the identity provider of a company: without a person, and with one. */
import { useState } from 'preact/hooks';
import { useResource } from '../../core/resource.js';
import { may } from '../../core/state.js';
import { CheckRunner, type ShownCheck } from '../../parts/check-run.js';
import { DeedDialog } from '../../parts/dialog.js';
import { showNewTrace, TraceAddress } from '../provider/new-trace.js';
import { Traces } from '../provider/traces.js';
import type { ShownCompany } from './shown-company.js';

interface TestProps {
  readonly company: ShownCompany;
}

interface OfferedCheck {
  readonly name: string;
  readonly runs: readonly ShownCheck[];
}

/** `latchkey check sso`. */
export function CompanyFindings({ company: { id } }: TestProps) {
  const list = useResource<{ readonly checks: readonly OfferedCheck[] }>('/api/checks');
  const runs = list.data?.checks.find(({ name }) => name === 'sso')?.runs;
  return (
    <section>
      <h2>Check</h2>
      <p>
        Reads the metadata again and compares it with the stored copy, and looks at certificates, addresses, domains,
        mapping and clock. It needs no person, and changes nothing.
      </p>
      <CheckRunner name="sso" argument={id} verb="Check" last={runs?.find(({ argument }) => argument === id)} />
    </section>
  );
}

/** Sign-ins that operators follow. */
export function CompanyTests({ company }: TestProps) {
  const [isOpening, setOpening] = useState(false);
  if (!may('admin')) {
    return (
      <section>
        <h2>Test sign-ins</h2>
        <p class="muted">They show what the provider tells about a person. They need the role admin.</p>
      </section>
    );
  }
  return (
    <section>
      <div class="deeds">
        <h2>Test sign-ins</h2>
        <button type="button" class="plain small" onClick={() => setOpening(true)}>
          Test a sign-in
        </button>
      </div>
      <Traces path={`/api/sso-providers/${company.id}/traces`} hasKinds={false} />
      {isOpening && <OpenTest company={company} onClose={() => setOpening(false)} />}
    </section>
  );
}

const OpenTest = ({ company: { id, disabled }, onClose }: TestProps & { readonly onClose: () => void }) => (
  <DeedDialog
    title="Test a sign-in"
    verb="Open a test"
    onClose={onClose}
    run={({ reason }) => showNewTrace(`/api/sso-providers/${id}/traces`, { reason })}
  >
    <TraceAddress how="check by check" />
    <p>It signs no one in: no account, no session. {disabled === true && 'It works while the company is disabled.'}</p>
  </DeedDialog>
);
