/** The domains of an organization, the records that prove them, and who joins by them. */
import { useState } from 'preact/hooks';
import { useResource } from '../../core/resource.js';
import { may } from '../../core/state.js';
import { DomainCard } from '../../parts/domain-card.js';
import { Time } from '../../parts/time.js';
import { Empty, View } from '../../parts/view.js';
import { type DomainDeed, DomainDialog, type ShownDomain } from './domain-dialogs.js';
import { pathOfOrganization, type RoleList, type ShownOrganization } from './shown-organization.js';

export function OrganizationDomains({ organization }: { readonly organization: ShownOrganization }) {
  const path = `${pathOfOrganization(organization.id)}/domains`;
  const list = useResource<{ readonly domains: readonly ShownDomain[] }>(path);
  const known = useResource<RoleList>('/api/organization-roles');
  const [deed, setDeed] = useState<DomainDeed | null>(null);
  // None of them is made an owner so.
  const roles = (known.data?.roles ?? []).filter(({ name }) => name !== 'owner');
  const mayChange = may('admin') && known.data !== undefined;
  const button = (kind: Exclude<DomainDeed['kind'], 'add'>, of: ShownDomain, text: string) => (
    <button type="button" class="plain small" onClick={() => setDeed({ kind, of })}>
      {text}
      <span class="hidden"> {of.domain}</span>
    </button>
  );
  return (
    <section>
      <header class="row">
        <p class="muted">
          A domain counts once its record was seen in the DNS, or an administrator has vouched for it.
        </p>
        {mayChange && (
          <button type="button" class="plain" onClick={() => setDeed({ kind: 'add' })}>
            Add a domain
          </button>
        )}
      </header>
      <View of={list}>
        {({ domains }) =>
          domains.length === 0 ? (
            <Empty title="It has no domains">
              <p>People with an address of a domain can join by it. Members with domains:manage add them, too.</p>
            </Empty>
          ) : (
            domains.map((one) => (
              <DomainCard
                key={one.domain}
                of={one}
                path={`${path}/${encodeURIComponent(one.domain)}/verify`}
                onChanged={list.reload}
                rows={[
                  ['Joins', sayJoins(one)],
                  ['Added', <Time at={one.created_at} isExact />],
                  ['Proved', one.verified_at && <Time at={one.verified_at} isExact />],
                ]}
              >
                {mayChange && (
                  <>
                    {button('vouch', one, one.status === 'verified' ? 'No longer proved' : 'Mark as proved')}
                    {button('joins', one, 'Who joins')}
                    {button('remove', one, 'Remove')}
                  </>
                )}
              </DomainCard>
            ))
          )
        }
      </View>
      {deed !== null && <DomainDialog {...{ deed, path, roles }} reload={list.reload} onClose={() => setDeed(null)} />}
    </section>
  );
}

const sayJoins = ({ auto_join, roles }: ShownDomain): string =>
  auto_join ? `who has proven an address of it, as ${roles.join(', ')}` : 'no one';
