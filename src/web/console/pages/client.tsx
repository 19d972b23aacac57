/** One OAuth client: what it is, who allowed it what, and what can be done. */
import { useState } from 'preact/hooks';
import { pathWith } from '../core/api.js';
import { place } from '../core/location.js';
import type { PageProps } from '../core/page.js';
import { useResource } from '../core/resource.js';
import { may } from '../core/state.js';
import { Badge, Copy, Details } from '../parts/details.js';
import { Heading } from '../parts/heading.js';
import { Pager } from '../parts/list.js';
import { SecretDialog } from '../parts/secret-dialog.js';
import { Time } from '../parts/time.js';
import { Empty, View } from '../parts/view.js';
import { ClientDialog, type Deed } from './clients/dialogs.js';
import { Grants } from './clients/grants.js';
import { usesKey } from './clients/key-fields.js';
import { nameOfClient, type ShownClient, type ShownGrant } from './clients/shown-client.js';

interface GrantPage {
  readonly grants: readonly ShownGrant[];
  readonly next_cursor: string | null;
}

export function Page({ params }: PageProps) {
  const path = `/api/oauth-clients/${params['client_id']}`;
  const shown = useResource<ShownClient>(path);
  const list = useResource<GrantPage>(pathWith(`${path}/grants`, { cursor: place.value.query.get('cursor') }));
  const [deed, setDeed] = useState<Deed | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const client = shown.data;
  const button = (what: Deed, text: string) => (
    <button type="button" class="plain" onClick={() => setDeed(what)}>
      {text}
    </button>
  );
  return (
    <>
      <Heading title={client === undefined ? 'OAuth client' : nameOfClient(client)} about="OAuth client" of={shown}>
        {may('admin') && client !== undefined && (
          <>
            {client.client_id_metadata_document === undefined && button('change', 'Change')}
            {client.client_type === 'confidential' && !usesKey(client) && button('rotate', 'New secret')}
            {button('delete', 'Delete')}
          </>
        )}
      </Heading>
      <View of={shown}>{(data) => <Facts client={data} />}</View>
      <section>
        <h2>Allowed by</h2>
        <View of={list}>
          {({ grants, next_cursor }) => (
            <>
              {grants.length === 0 ? (
                <Empty title="No user has allowed it anything" />
              ) : (
                <Grants clientId={params['client_id']!} rows={grants} reload={list.reload} />
              )}
              <Pager next={next_cursor} />
            </>
          )}
        </View>
      </section>
      {deed !== null && client !== undefined && (
        <ClientDialog
          deed={deed}
          client={client}
          path={path}
          reload={shown.reload}
          onSecret={setSecret}
          onClose={() => setDeed(null)}
        />
      )}
      {secret !== null && (
        <SecretDialog title="New secret" what="the client secret" secret={secret} onClose={() => setSecret(null)}>
          <p>The former one has ended.</p>
        </SecretDialog>
      )}
    </>
  );
}

const Facts = ({ client }: { readonly client: ShownClient }) => (
  <Details
    rows={[
      ['client_id', <Copy text={client.client_id} what="the client id" />],
      ['Type', `${client.client_type}, ${client.token_endpoint_auth_method}`],
      [
        'Registered',
        client.registration_type === 'dynamic' ? <Badge tone="warn">by itself</Badge> : 'by an administrator',
      ],
      ['Document', client.client_id_metadata_document],
      ['Redirects to', client.redirect_uris.length > 0 && <Lines of={client.redirect_uris} />],
      ['Grants', client.grant_types.join(', ')],
      ['Organization', client.organization_id && <Served client={client} />],
      ['Keys', sayKeys(client)],
      ['Scopes', client.scope ?? 'any'],
      ['After a logout', client.post_logout_redirect_uris && <Lines of={client.post_logout_redirect_uris} />],
      ['Hears of logouts at', client.backchannel_logout_uri],
      ['Home page', client.client_uri],
      ['Added', <Time at={client.created_at} isExact />],
      ['Changed', <Time at={client.updated_at} isExact />],
    ]}
  />
);

const Served = ({
  client: { organization_id: id, organization_roles: roles = [] },
}: {
  readonly client: ShownClient;
}) => (
  <>
    <a href={`/orgs/${id}`}>
      <code>{id}</code>
    </a>
    {roles.length > 0 && <>, as {roles.join(', ')}</>}
  </>
);

const sayKeys = ({ jwks, jwks_uri }: ShownClient): string | undefined =>
  jwks?.keys.map(({ kid }) => kid ?? 'without a name').join(', ') ?? jwks_uri;

const Lines = ({ of }: { readonly of: readonly string[] }) => (
  <>
    {of.map((line) => (
      <div key={line}>
        <code>{line}</code>
      </div>
    ))}
  </>
);
