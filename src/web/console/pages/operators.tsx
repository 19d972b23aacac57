/** Who may use this console, and as what. */
import { useState } from 'preact/hooks';
import { send } from '../core/api.js';
import { useResource } from '../core/resource.js';
import { operator as me, type Role, roles, toast } from '../core/state.js';
import { Note } from '../parts/alert.js';
import { Copy } from '../parts/details.js';
import { DeedDialog, Dialog } from '../parts/dialog.js';
import { Choice, Field } from '../parts/field.js';
import { Heading } from '../parts/heading.js';
import { type Column, List } from '../parts/list.js';
import { Time } from '../parts/time.js';
import { View } from '../parts/view.js';

interface ListedOperator {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly created_at: string;
  readonly last_sign_in_at: string | null;
  readonly has_password: boolean;
  readonly passkeys: number;
}

interface Invited {
  readonly operator: ListedOperator;
  readonly link: string;
}

type Deed = 'role' | 'reset' | 'remove';

const roleChoices = [
  ['viewer', 'viewer: reads'],
  ['support', 'support: changes users, ends sessions, removes factors'],
  ['admin', 'admin: deletes users, makes links'],
  ['owner', 'owner: manages operators'],
] as const satisfies readonly (readonly [Role, string])[];

const waysOf = ({ has_password, passkeys }: ListedOperator): string =>
  [passkeys > 0 && `${passkeys} ${passkeys === 1 ? 'passkey' : 'passkeys'}`, has_password && 'password with code']
    .filter(Boolean)
    .join(', ') || 'not set up';

export function Page() {
  const list = useResource<{ operators: readonly ListedOperator[] }>('/api/operators');
  const [isNew, setNew] = useState(false);
  const [chosen, setChosen] = useState<{ readonly deed: Deed; readonly one: ListedOperator } | null>(null);
  const [invited, setInvited] = useState<Invited | null>(null);
  const choose = (deed: Deed, one: ListedOperator, label: string) => (
    <button type="button" class="plain small" onClick={() => setChosen({ deed, one })}>
      {label}
    </button>
  );
  const columns: readonly Column<ListedOperator>[] = [
    { title: 'Name', cell: ({ name, id }) => (id === me.value?.id ? `${name} (you)` : name) },
    { title: 'Role', cell: ({ role }) => role },
    { title: 'Signs in by', from: 'medium', cell: waysOf },
    { title: 'Last sign-in', from: 'medium', cell: ({ last_sign_in_at }) => <Time at={last_sign_in_at} /> },
    {
      title: 'Actions',
      isEnd: true,
      cell: (one) =>
        one.id !== me.value?.id && (
          <span class="actions end">
            {choose('role', one, 'Role')}
            {choose('reset', one, 'Reset')}
            {choose('remove', one, 'Remove')}
          </span>
        ),
    },
  ];
  const inviteAfter = (answer: Invited) => {
    setInvited(answer);
    setNew(false);
    setChosen(null);
    void list.reload();
    return 'stays' as const;
  };
  return (
    <>
      <Heading
        title="Operators"
        about="They are no users of your applications, and have accounts of their own."
        of={list}
      >
        <button type="button" onClick={() => setNew(true)}>
          Add an operator
        </button>
      </Heading>
      <View of={list}>
        {({ operators }) => <List label="Operators" rows={operators} columns={columns} keyOf={({ id }) => id} />}
      </View>
      {isNew && (
        <DeedDialog
          title="Add an operator"
          verb="Make link"
          onClose={() => setNew(false)}
          run={async ({ reason, form }) => {
            const body = { name: String(form.get('name')), role: String(form.get('role')), reason };
            return inviteAfter((await send<Invited>('POST', '/api/operators', { body })).data);
          }}
        >
          <Field
            label="Name"
            hint="such as an email address; nothing is sent"
            name="name"
            autocomplete="off"
            required
          />
          <Choice label="Role" name="role" choices={roleChoices} value="viewer" />
        </DeedDialog>
      )}
      {chosen !== null && (
        <OperatorDeed {...chosen} onClose={() => setChosen(null)} reload={list.reload} onInvited={inviteAfter} />
      )}
      {invited !== null && (
        <Dialog title={`A link for ${invited.operator.name}`} onClose={() => setInvited(null)}>
          <Note tone="warn">
            <p>It sets up the sign-in, once within 15 minutes. It is not shown again: hand it over now.</p>
          </Note>
          <Copy text={invited.link} what="the link" />
          <div class="actions">
            <button type="button" onClick={() => setInvited(null)}>
              Close
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

interface OperatorDeedProps {
  readonly deed: Deed;
  readonly one: ListedOperator;
  readonly onClose: () => void;
  readonly reload: () => Promise<void>;
  readonly onInvited: (answer: Invited) => 'stays';
}

function OperatorDeed({ deed, one, onClose, reload, onInvited }: OperatorDeedProps) {
  const path = `/api/operators/${one.id}`;
  if (deed === 'reset') {
    return (
      <DeedDialog
        title={`Reset ${one.name}?`}
        verb="Reset and make link"
        isDanger
        onClose={onClose}
        run={async ({ reason }) => onInvited((await send<Invited>('POST', `${path}/reset`, { body: { reason } })).data)}
      >
        <p>Passkeys, password and sessions of this operator end. A link sets up new ones.</p>
      </DeedDialog>
    );
  }
  if (deed === 'remove') {
    return (
      <DeedDialog
        title={`Remove ${one.name}?`}
        verb="Remove operator"
        isDanger
        typed={one.name}
        onClose={onClose}
        run={async ({ reason }) => {
          await send('DELETE', path, { body: { reason } });
          toast(`Removed: ${one.name}`);
          await reload();
        }}
      />
    );
  }
  return (
    <DeedDialog
      title={`Role of ${one.name}`}
      verb="Change role"
      onClose={onClose}
      run={async ({ reason, form }) => {
        const role = roles.find((name) => name === form.get('role'));
        await send('PUT', path, { body: { role, reason } });
        toast(`${one.name} is ${role} now`);
        await reload();
      }}
    >
      <p>The sessions of this operator end.</p>
      <Choice label="Role" name="role" choices={roleChoices} value={one.role} />
    </DeedDialog>
  );
}
