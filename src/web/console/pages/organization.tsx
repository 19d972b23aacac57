/** One organization: what it is, its members, invitations and domains, what happened, and what can be done. */
import { useState } from 'preact/hooks';
import type { PageProps } from '../core/page.js';
import { useResource } from '../core/resource.js';
import { may } from '../core/state.js';
import { Copy, Details } from '../parts/details.js';
import { Heading } from '../parts/heading.js';
import { currentTab, Tabs } from '../parts/tabs.js';
import { Time } from '../parts/time.js';
import { OwnActivity } from './activity/own-activity.js';
import { Members } from './organizations/members.js';
import { DeleteOrganization, OrganizationDialog } from './organizations/organization-dialogs.js';
import { OrganizationDomains } from './organizations/organization-domains.js';
import { OrganizationInvitations } from './organizations/organization-invitations.js';
import { OrganizationPolicies } from './organizations/organization-policies.js';
import { OrganizationSignOn } from './organizations/organization-sign-on.js';
import { OrganizationView } from './organizations/organization-view.js';
import { pathOfOrganization, type ShownOrganization, sayLimit } from './organizations/shown-organization.js';

const parts = [
  { id: 'profile', title: 'Overview' },
  { id: 'members', title: 'Members' },
  { id: 'invitations', title: 'Invitations' },
  { id: 'domains', title: 'Domains' },
  { id: 'sign-on', title: 'Sign-on' },
  { id: 'activity', title: 'Activity' },
] as const;

export function Page({ params }: PageProps) {
  const shown = useResource<ShownOrganization>(pathOfOrganization(params['organization_id']!));
  const [deed, setDeed] = useState<'change' | 'delete' | null>(null);
  const known = shown.data;
  const close = () => setDeed(null);
  const tab = currentTab(parts);
  return (
    <>
      <Heading title={known?.name ?? 'Organization'} about={known?.slug ?? 'Organization'} of={shown}>
        {known !== undefined && may('support') && (
          <>
            <button type="button" class="plain" onClick={() => setDeed('change')}>
              Change
            </button>
            {may('admin') && (
              <button type="button" class="plain" onClick={() => setDeed('delete')}>
                Delete
              </button>
            )}
          </>
        )}
      </Heading>
      <OrganizationView of={shown}>
        {(organization) => (
          <>
            <Tabs label="Parts of the organization" tabs={parts} />
            {tab === 'profile' && <Facts organization={organization} onChanged={shown.put} />}
            {tab === 'members' && <Members organization={organization} />}
            {tab === 'invitations' && <OrganizationInvitations organization={organization} />}
            {tab === 'domains' && <OrganizationDomains organization={organization} />}
            {tab === 'sign-on' && <OrganizationSignOn organization={organization} />}
            {tab === 'activity' && <OwnActivity path="/api/activity" {...activityOf(organization)} />}
          </>
        )}
      </OrganizationView>
      {deed === 'change' && known !== undefined && (
        <OrganizationDialog organization={known} onClose={close} onDone={(changed) => shown.put(changed)} />
      )}
      {deed === 'delete' && known !== undefined && <DeleteOrganization organization={known} onClose={close} />}
    </>
  );
}

/** What was done to it, its members, invitations and domains. */
const activityOf = ({ id }: ShownOrganization) => ({ query: { organization_id: id }, filter: { organization_id: id } });

interface FactsProps {
  readonly organization: ShownOrganization;
  readonly onChanged: (organization: ShownOrganization) => void;
}

const Facts = ({ organization, onChanged }: FactsProps) => (
  <>
    <Details
      rows={[
        ['Id', <Copy text={organization.id} what="the id" />],
        ['Slug', <Copy text={organization.slug} what="the slug" />],
        ['Logo', organization.logo_url && <span class="break">{organization.logo_url}</span>],
        ['Members at most', sayLimit(organization.max_members)],
        ['Created', <Time at={organization.created_at} isExact />],
        ['Changed', <Time at={organization.updated_at} isExact />],
      ]}
    />
    <OrganizationPolicies {...{ organization, onChanged }} />
    <section class="card">
      <h2>Metadata</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard. */}
      <section tabIndex={0} class="scrolls" aria-label="Metadata as it is stored">
        <pre>{JSON.stringify(organization.metadata, null, 2)}</pre>
      </section>
    </section>
  </>
);
