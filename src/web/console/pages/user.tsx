/** One account: who it is, where it is signed in, how it signs in, what happened, what is stored about it. */

import type { PageProps } from '../core/page.js';
import { useResource } from '../core/resource.js';
import { may } from '../core/state.js';
import {
  type CompanyNames,
  type ImpersonationRule,
  labelOfUser,
  type User,
  type UserCode,
  type UserGrant,
  type UserPasskey,
  type UserSession,
} from '../core/user.js';
import { Heading } from '../parts/heading.js';
import { currentTab, Tabs } from '../parts/tabs.js';
import { View } from '../parts/view.js';
import { OwnActivity } from './activity/own-activity.js';
import { UserApps } from './user/apps.js';
import { UserCodes } from './user/codes.js';
import { UserDeeds } from './user/deeds.js';
import { UserFactors } from './user/factors.js';
import { Memberships } from './user/memberships.js';
import { MetadataEditor } from './user/metadata.js';
import { UserNotes } from './user/notes.js';
import { Profile } from './user/profile.js';
import { Provisioned, ProvisionedBadge, type ShownProvisioned } from './user/provisioned.js';
import { UserRefusals } from './user/refusals.js';
import { UserSessions } from './user/sessions.js';
import { UserState } from './users/columns.js';

interface UserAnswer {
  readonly user: User;
  readonly sessions: readonly UserSession[];
  readonly passkeys: readonly UserPasskey[];
  readonly codes: readonly UserCode[];
  /** Null: there is no authorization server. */
  readonly grants: readonly UserGrant[] | null;
  /** Of how many it is a member; null: organizations are off. */
  readonly organizations: number | null;
  readonly companies: CompanyNames;
  readonly provisioned: readonly ShownProvisioned[];
  readonly impersonation: ImpersonationRule;
}

export function Page({ params }: PageProps) {
  const id = params['user_id']!;
  const answer = useResource<UserAnswer>(`/api/users/${encodeURIComponent(id)}`);
  const known = answer.data?.user;
  return (
    <>
      <Heading
        title={
          known === undefined ? (
            'User'
          ) : (
            <>
              {labelOfUser(known)} <UserState user={known} /> <ProvisionedBadge user={known} />
            </>
          )
        }
        of={answer}
      >
        {known !== undefined && may('support') && (
          <UserDeeds
            user={known}
            impersonation={answer.data!.impersonation}
            organizations={answer.data!.organizations}
            reload={answer.reload}
          />
        )}
      </Heading>
      <View of={answer}>
        {({ user, sessions, passkeys, codes, grants, organizations, companies, provisioned }) => {
          const factors = user.factors ?? [];
          const tabs = [
            { id: 'profile', title: 'Profile' },
            { id: 'sessions', title: 'Sessions', count: sessions.length },
            { id: 'factors', title: 'Factors', count: factors.length + passkeys.length },
            ...(grants === null ? [] : [{ id: 'apps', title: 'Apps', count: grants.length }]),
            ...(organizations === null ? [] : [{ id: 'organizations', title: 'Organizations', count: organizations }]),
            { id: 'activity', title: 'Activity' },
            { id: 'metadata', title: 'Metadata' },
            { id: 'notes', title: 'Notes' },
          ];
          const tab = currentTab(tabs);
          const { reload } = answer;
          return (
            <>
              <Tabs label="Parts of the account" tabs={tabs} />
              {tab === 'profile' && (
                <>
                  <Profile user={user} companies={companies} />
                  <Provisioned rows={provisioned} companies={companies} />
                  <UserCodes codes={codes} />
                </>
              )}
              {tab === 'sessions' && <UserSessions userId={user.id} sessions={sessions} reload={reload} />}
              {tab === 'factors' && (
                <UserFactors userId={user.id} factors={factors} passkeys={passkeys} reload={reload} />
              )}
              {tab === 'apps' && grants !== null && <UserApps userId={user.id} grants={grants} reload={reload} />}
              {tab === 'organizations' && <Memberships userId={user.id} reload={reload} />}
              {tab === 'activity' && (
                <>
                  <UserRefusals userId={user.id} />
                  <OwnActivity
                    title="What happened"
                    path={`/api/users/${user.id}/activity`}
                    filter={{ person: user.id }}
                  />
                </>
              )}
              {tab === 'notes' && <UserNotes userId={user.id} />}
              {tab === 'metadata' && <MetadataEditor user={user} etag={answer.etag} reload={reload} />}
            </>
          );
        }}
      </View>
    </>
  );
}
