/** The domains of an organization, and the records that prove them. */
import { useResource } from '../../core/resource.js';
import { Badge, Copy } from '../../parts/details.js';
import { type Column, List } from '../../parts/list.js';
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

const columns: readonly Column<ShownDomain>[] = [
  { title: 'Domain', cell: ({ domain }) => <bdi>{domain}</bdi> },
  {
    title: 'State',
    cell: ({ status }) =>
      status === 'verified' ? <Badge tone="ok">proved</Badge> : <Badge tone="warn">not proved</Badge>,
  },
  {
    title: 'TXT record',
    from: 'wide',
    cell: ({ record, domain }) => <Copy text={record.name} what={`the name of the record of ${domain}`} />,
  },
  {
    title: 'Value',
    from: 'medium',
    cell: ({ record, domain }) => <Copy text={record.value} what={`the value of the record of ${domain}`} />,
  },
  { title: 'Proved', from: 'wide', cell: ({ verified_at }) => <Time at={verified_at} never="–" /> },
];

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
            <List label="Domains" rows={domains} columns={columns} keyOf={({ domain }) => domain} />
          )
        }
      </View>
    </section>
  );
}
