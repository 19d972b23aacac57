/** By whom an account is provisioned (SCIM). */
import type { CompanyNames, User } from '../../core/user.js';
import { Badge, Details } from '../../parts/details.js';
import { Time } from '../../parts/time.js';

export interface ShownProvisioned {
  readonly provider_id: string | null;
  readonly organization_id: string | null;
  readonly organization_name: string | null;
  readonly user_name: string;
  readonly active: boolean;
  readonly deleted_at: string | null;
  readonly updated_at: string;
  readonly groups: readonly string[];
}

/** Beside the name of an account. */
export const ProvisionedBadge = ({ user }: { readonly user: User }) =>
  user.app_metadata['scim'] === undefined ? null : <Badge>provisioned</Badge>;

interface ProvisionedProps {
  readonly rows: readonly ShownProvisioned[];
  readonly companies: CompanyNames;
}

export const Provisioned = ({ rows, companies }: ProvisionedProps) =>
  rows.length === 0 ? null : (
    <section>
      <h2>Provisioned</h2>
      {rows.map((row) => (
        <Details
          key={row.provider_id ?? row.organization_id}
          rows={[
            ['By', <Source of={row} companies={companies} />],
            ['userName there', <bdi>{row.user_name}</bdi>],
            ['State there', <State of={row} />],
            ['Groups there', row.groups.join(', ')],
            ['Changed there', <Time at={row.updated_at} />],
          ]}
        />
      ))}
      <p class="small muted">The identity provider changes and ends it. What is changed here it may change back.</p>
    </section>
  );

interface RowProps {
  readonly of: ShownProvisioned;
}

const Source = ({ of, companies }: RowProps & { readonly companies: CompanyNames }) =>
  of.provider_id === null ? (
    <a href={`/orgs/${of.organization_id}?tab=sign-on`}>{of.organization_name}</a>
  ) : (
    <a href={`/companies/${of.provider_id}`}>{companies[`sso:${of.provider_id}`] ?? 'a company'}</a>
  );

function State({ of: { active, deleted_at } }: RowProps) {
  if (deleted_at !== null) {
    return (
      <>
        <Badge tone="danger">deleted</Badge> <Time at={deleted_at} />
      </>
    );
  }
  return active ? <Badge tone="ok">active</Badge> : <Badge tone="danger">not active</Badge>;
}
