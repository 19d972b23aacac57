/** Tokens by which an identity provider provisions accounts: those of a company, or of an organization. */
import { useState } from 'preact/hooks';
import { send } from '../../core/api.js';
import { useResource } from '../../core/resource.js';
import { may, toast } from '../../core/state.js';
import { Badge, Copy, Details } from '../../parts/details.js';
import { DeedDialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { type Column, List } from '../../parts/list.js';
import { SecretDialog } from '../../parts/secret-dialog.js';
import { Time } from '../../parts/time.js';
import { View } from '../../parts/view.js';
import { Calls } from './calls.js';

interface ShownToken {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  /** To the hour. */
  readonly last_used_at: string | null;
}

interface ShownTokens {
  readonly base_url: string;
  readonly tokens: readonly ShownToken[];
}

/** The server refuses one more. */
const MOST = 2;

const nameOf = ({ name }: ShownToken): string => name || 'without a name';
const isOver = ({ expires_at }: ShownToken): boolean => expires_at !== null && Date.parse(expires_at) <= Date.now();

/** @param path of the provider or organization, whose tokens they are */
export function Provisioning({ path }: { readonly path: string }) {
  const list = useResource<ShownTokens>(`${path}/scim-tokens`);
  if (list.data === undefined && list.fault?.code === 'feature_disabled') return <SwitchedOff />;
  return (
    <section class="card">
      <h2>Provisioning (SCIM)</h2>
      <View of={list} rows={2}>
        {(data) => <Tokens path={path} shown={data} reload={list.reload} />}
      </View>
      <Calls path={path} />
    </section>
  );
}

const SwitchedOff = () => (
  <section class="card">
    <h2>Provisioning (SCIM)</h2>
    <p class="muted">
      It is switched off. With <code>AUTH_SCIM_ENABLED</code> an identity provider creates, changes and ends accounts
      itself.
    </p>
  </section>
);

interface TokensProps {
  readonly path: string;
  readonly shown: ShownTokens;
  readonly reload: () => Promise<void>;
}

function Tokens({ path, shown: { base_url, tokens }, reload }: TokensProps) {
  const [isNew, setNew] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const [ended, setEnded] = useState<ShownToken | null>(null);
  const isFull = tokens.filter((token) => !isOver(token)).length >= MOST;
  return (
    <>
      <Details rows={[['Base URL', <Copy text={base_url} what="the base URL" />]]} />
      {tokens.length === 0 ? (
        <p class="muted">It has no token: nothing is provisioned.</p>
      ) : (
        <List label="SCIM tokens" rows={tokens} columns={columnsWith(setEnded)} keyOf={({ id }) => id} />
      )}
      {may('admin') &&
        (isFull ? (
          <p class="small muted">There may be {MOST} tokens. To replace one, end the other first.</p>
        ) : (
          <div class="actions">
            <button type="button" class="plain" onClick={() => setNew(true)}>
              Make a token
            </button>
          </div>
        ))}
      {isNew && (
        <NewToken
          path={path}
          onClose={() => setNew(false)}
          onMade={(token) => {
            setNew(false);
            setSecret(token);
            void reload();
          }}
        />
      )}
      {secret !== null && (
        <SecretDialog title="New SCIM token" what="the token" secret={secret} onClose={() => setSecret(null)}>
          <Details rows={[['Base URL', <Copy text={base_url} what="the base URL" />]]} />
          <p>Enter both at the identity provider.</p>
        </SecretDialog>
      )}
      {ended !== null && (
        <DeedDialog
          title={`End the token ${nameOf(ended)}?`}
          verb="End token"
          isDanger
          onClose={() => setEnded(null)}
          run={async ({ reason }) => {
            await send('DELETE', `${path}/scim-tokens/${ended.id}`, { body: { reason } });
            toast('Token ended');
            await reload();
          }}
        >
          <p>The identity provider can change nothing with it any more. What it has provisioned stays.</p>
        </DeedDialog>
      )}
    </>
  );
}

const columnsWith = (onEnd: (token: ShownToken) => void): readonly Column<ShownToken>[] => [
  {
    title: 'Token',
    cell: (token) => (
      <>
        <bdi>{nameOf(token)}</bdi> {isOver(token) && <Badge tone="warn">expired</Badge>}
      </>
    ),
  },
  { title: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
  { title: 'Expires', from: 'medium', cell: ({ expires_at }) => <Time at={expires_at} /> },
  { title: 'Made', from: 'wide', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    title: 'Actions',
    isEnd: true,
    cell: (token) =>
      may('admin') && (
        <button
          type="button"
          class="plain small"
          aria-label={`End the token ${nameOf(token)}`}
          onClick={() => onEnd(token)}
        >
          End
        </button>
      ),
  },
];

interface NewTokenProps {
  readonly path: string;
  readonly onClose: () => void;
  readonly onMade: (token: string) => void;
}

const NewToken = ({ path, onClose, onMade }: NewTokenProps) => (
  <DeedDialog
    title="Make a SCIM token"
    verb="Make token"
    onClose={onClose}
    run={async ({ reason, form }) => {
      const day = String(form.get('expires_at') ?? '');
      const name = String(form.get('name') ?? '').trim();
      // The whole day, in UTC.
      const body = { name, ...(day !== '' && { expires_at: `${day}T23:59:59Z` }), reason };
      const { data } = await send<{ readonly token: string }>('POST', `${path}/scim-tokens`, { body });
      onMade(data.token);
      return 'stays';
    }}
  >
    <p>Whoever has it creates, changes and ends the accounts that it has provisioned.</p>
    <Field label="Name" name="name" hint="such as Entra ID" maxLength={120} autocomplete="off" />
    <Field label="Valid until" name="expires_at" hint="empty: until it is ended" type="date" autocomplete="off" />
  </DeedDialog>
);
