import { Badge } from '../../parts/details.js';
import { Time } from '../../parts/time.js';
import type { ShownCompany } from './shown-company.js';

/** Whether people can sign in at a company, and what needs attention. */
export const CompanyState = ({ company: { disabled, fault, ends, saml } }: { readonly company: ShownCompany }) => (
  <span class="badges">
    {disabled ? <Badge>disabled</Badge> : fault === null && <Badge tone="ok">on</Badge>}{' '}
    {fault !== null && <Badge tone="danger">metadata {fault}</Badge>} {saml.enforced && <Badge>enforced</Badge>}{' '}
    {fault === null &&
      ends.map(({ what, ends_at }) => (
        <Badge key={what} tone="warn">
          {what} ends <Time at={ends_at} />
        </Badge>
      ))}{' '}
    {saml.metadata_error !== null && <Badge tone="warn">metadata cannot be read again</Badge>}
  </span>
);
