/** OAuth clients: applications that sign users in here. */
import { useState } from 'preact/hooks';
import { pathWith, send } from '../core/api.js';
import { navigate, place } from '../core/location.js';
import { useResource } from '../core/resource.js';
import { may, toast } from '../core/state.js';
import { Badge } from '../parts/details.js';
import { DeedDialog } from '../parts/dialog.js';
import { Heading } from '../parts/heading.js';
import { type Column, List, Pager } from '../parts/list.js';
import { SecretDialog } from '../parts/secret-dialog.js';
import { Time } from '../parts/time.js';
import { Empty, View } from '../parts/view.js';
import { readNewClientForm } from './clients/client-form.js';
import { ClientFields } from './clients/fields.js';
import { nameOfClient, type ShownClient, type ShownNewClient } from './clients/shown-client.js';

const columns: readonly Column<ShownClient>[] = [
  {
    title: 'Client',
    cell: (client) => (
      <a href={`/clients/${client.client_id}`} class="name">
        {nameOfClient(client)}
      </a>
    ),
  },
  { title: 'Type', cell: ({ client_type }) => client_type },
  {
    title: 'Registered',
    from: 'medium',
    cell: ({ registration_type }) =>
      registration_type === 'dynamic' ? <Badge tone="warn">by itself</Badge> : 'by an administrator',
  },
  { title: 'Redirects to', from: 'wide', cell: ({ redirect_uris }) => redirect_uris.join(', ') },
  { title: 'Added', from: 'medium', cell: ({ created_at }) => <Time at={created_at} /> },
];

interface ClientPage {
  readonly clients: readonly ShownClient[];
  readonly next_cursor: string | null;
}

export function Page() {
  const page = useResource<ClientPage>(pathWith('/api/oauth-clients', { cursor: place.value.query.get('cursor') }));
  const [isAdding, setAdding] = useState(false);
  const [added, setAdded] = useState<ShownNewClient | null>(null);
  return (
    <>
      <Heading
        title="OAuth clients"
        about="Applications that sign users in here, and what users have allowed them."
        of={page}
      >
        {may('admin') && page.data !== undefined && (
          <button type="button" onClick={() => setAdding(true)}>
            Add a client
          </button>
        )}
      </Heading>
      <View of={page}>
        {({ clients, next_cursor }) => (
          <>
            {clients.length === 0 ? (
              <Empty title="There are no clients">
                <p>Add one for each application that signs users in here, or let clients register themselves.</p>
              </Empty>
            ) : (
              <List label="OAuth clients" rows={clients} columns={columns} keyOf={({ client_id }) => client_id} />
            )}
            <Pager next={next_cursor} />
          </>
        )}
      </View>
      {isAdding && (
        <DeedDialog
          title="Add a client"
          verb="Add client"
          onClose={() => setAdding(false)}
          run={async ({ reason, form }) => {
            const body = { ...(await readNewClientForm(form)), reason };
            const { data } = await send<ShownNewClient>('POST', '/api/oauth-clients', { body });
            toast('Client added');
            if (data.client_secret === undefined) navigate(`/clients/${data.client_id}`);
            else setAdded(data);
          }}
        >
          <ClientFields />
        </DeedDialog>
      )}
      {added?.client_secret !== undefined && (
        <SecretDialog
          title={`Secret of ${nameOfClient(added)}`}
          what="the client secret"
          secret={added.client_secret}
          onClose={() => navigate(`/clients/${added.client_id}`)}
        >
          <p>
            Its client_id is <code>{added.client_id}</code>.
          </p>
        </SecretDialog>
      )}
    </>
  );
}
