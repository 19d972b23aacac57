/** The domains of an organization, and the records that prove them. */
import { useResource } from '../../core/resource.js';
import { Badge, Copy, Details } from '../../parts/details.js';
import { Time } from '../../parts/time.js';
import { Empty, View } from '../../parts/view.js';
import { pathOfOrganization, type ShownOrganization } from './shown-organization.js';

interface ShownDomain {
  readonly domain: string;
  readonly status: 'pending' | 'verified';
  readonly record: { readonly name: string; readonly value: string };
  readonly created_at: string;
  readonly verified_at: string | null;
}

/** The value is too long for a table. */
const DomainCard = ({ of: { domain, status, record, created_at, verified_at } }: { readonly of: ShownDomain }) => (
  <div class="card">
    <h3>
      <bdi>{domain}</bdi>{' '}
      {status === 'verified' ? <Badge tone="ok">proved</Badge> : <Badge tone="warn">not proved</Badge>}
    </h3>
    <Details
      rows={[
        ['TXT record', <Copy text={record.name} what={`the name of the record of ${domain}`} />],
        ['Value', <Copy text={record.value} what={`the value of the record of ${domain}`} />],
        ['Added', <Time at={created_at} isExact />],
        ['Proved', verified_at && <Time at={verified_at} isExact />],
      ]}
    />
  </div>
);

export function OrganizationDomains({ organization }: { readonly organization: ShownOrganization }) {
  const list = useResource<{ readonly domains: readonly ShownDomain[] }>(
    `${pathOfOrganization(organization.id)}/domains`,
  );
  return (
    <section>
      <p class="muted">A domain counts once its record was seen in the DNS. Members with domains:manage add them.</p>
      <View of={list}>
        {({ domains }) =>
          domains.length === 0 ? (
            <Empty title="It has no domains" />
          ) : (
            domains.map((one) => <DomainCard key={one.domain} of={one} />)
          )
        }
      </View>
    </section>
  );
}
