/** What can be done to an OAuth client. */
import type { JSX } from 'preact';
import { send } from '../../core/api.js';
import { navigate } from '../../core/location.js';
import { toast } from '../../core/state.js';
import { DeedDialog } from '../../parts/dialog.js';
import { readClientChanges } from './client-form.js';
import { ClientFields } from './fields.js';
import { nameOfClient, type ShownClient, type ShownNewClient } from './shown-client.js';

export type Deed = 'change' | 'rotate' | 'delete';

interface DialogProps {
  readonly client: ShownClient;
  readonly path: string;
  readonly reload: () => Promise<void>;
  readonly onSecret: (secret: string) => void;
  readonly onClose: () => void;
}

export function ClientDialog({ deed, ...props }: DialogProps & { readonly deed: Deed }) {
  const Dialog = dialogs[deed];
  return <Dialog {...props} />;
}

const dialogs: Readonly<Record<Deed, (props: DialogProps) => JSX.Element>> = {
  change: Change,
  rotate: Rotate,
  delete: Delete,
};

function Change({ client, path, reload, onClose }: DialogProps) {
  return (
    <DeedDialog
      title={`Change ${nameOfClient(client)}`}
      verb="Save"
      onClose={onClose}
      run={async ({ reason, form }) => {
        await send('PUT', path, { body: { ...(await readClientChanges(form, client)), reason } });
        toast('Client changed');
        await reload();
      }}
    >
      <ClientFields client={client} />
    </DeedDialog>
  );
}

function Rotate({ path, reload, onSecret, onClose }: DialogProps) {
  return (
    <DeedDialog
      title="Make a new secret?"
      verb="Make a new secret"
      isDanger
      onClose={onClose}
      run={async ({ reason }) => {
        const { data } = await send<ShownNewClient>('POST', `${path}/rotate-secret`, { body: { reason } });
        onSecret(data.client_secret ?? '');
        await reload();
      }}
    >
      <p>The present one ends at once: the client cannot sign anybody in until it has the new one.</p>
    </DeedDialog>
  );
}

function Delete({ client, path, onClose }: DialogProps) {
  return (
    <DeedDialog
      title={`Delete ${nameOfClient(client)}?`}
      verb="Delete client"
      isDanger
      typed={nameOfClient(client)}
      onClose={onClose}
      run={async ({ reason }) => {
        await send('DELETE', path, { body: { reason } });
        toast('Client deleted');
        navigate('/clients');
      }}
    >
      <p>What users have allowed it and its sessions end at once.</p>
    </DeedDialog>
  );
}
