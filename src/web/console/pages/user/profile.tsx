import { type CompanyNames, type Identity, providersOf, sayProvider, type User } from '../../core/user.js';
import { Copy, Details } from '../../parts/details.js';
import { type Column, List } from '../../parts/list.js';
import { Time } from '../../parts/time.js';
import { Empty } from '../../parts/view.js';

const columnsWith = (companies: CompanyNames): readonly Column<Identity>[] => [
  {
    title: 'Provider',
    cell: ({ provider }) =>
      companies[provider] === undefined ? (
        sayProvider(provider)
      ) : (
        <a href={`/companies/${provider.slice('sso:'.length)}`}>{companies[provider]}</a>
      ),
  },
  { title: 'Address', cell: ({ email }) => email ?? '–' },
  { title: 'Id there', from: 'medium', cell: ({ id }) => <code class="clip">{id}</code> },
  { title: 'Last sign-in', from: 'wide', cell: ({ last_sign_in_at }) => <Time at={last_sign_in_at} /> },
  { title: 'Added', from: 'medium', cell: ({ created_at }) => <Time at={created_at} /> },
];

interface ProfileProps {
  readonly user: User;
  readonly companies: CompanyNames;
}

export const Profile = ({ user, companies }: ProfileProps) => (
  <>
    <Details
      rows={[
        ['Id', <Copy text={user.id} what="the id" />],
        ['Email', user.email && <Address address={user.email} confirmedAt={user.email_confirmed_at} />],
        ['Becomes', user.new_email],
        ['Phone', user.phone && <Address address={`+${user.phone}`} confirmedAt={user.phone_confirmed_at} />],
        ['Becomes phone', user.new_phone && `+${user.new_phone}`],
        ['Signs in by', providersOf(user, companies).join(', ')],
        ['Last sign-in', <Time at={user.last_sign_in_at} />],
        ['Created', <Time at={user.created_at} />],
        ['Changed', <Time at={user.updated_at} />],
        ['Invited', user.invited_at && <Time at={user.invited_at} />],
        ['Banned until', user.banned_until && <Time at={user.banned_until} isExact />],
        ['Deleted', user.deleted_at && <Time at={user.deleted_at} />],
        ['Audience', user.aud],
        ['Role', user.role],
      ]}
    />
    <section>
      <h2>Identities</h2>
      {user.identities.length === 0 ? (
        <Empty title="No identity">
          <p>The account is anonymous, or its identities were removed.</p>
        </Empty>
      ) : (
        <List
          label="Identities"
          rows={user.identities}
          columns={columnsWith(companies)}
          keyOf={({ identity_id }) => identity_id}
        />
      )}
    </section>
  </>
);

interface AddressProps {
  readonly address: string;
  readonly confirmedAt: string | undefined;
}

const Address = ({ address, confirmedAt }: AddressProps) => (
  <>
    {address}{' '}
    <small>
      {confirmedAt === undefined ? (
        'not confirmed'
      ) : (
        <>
          confirmed <Time at={confirmedAt} />
        </>
      )}
    </small>
  </>
);
