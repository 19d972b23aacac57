/** The keys of access tokens: their stages, and what moves them on. */
import { useState } from 'preact/hooks';
import { send } from '../core/api.js';
import { usePolling } from '../core/polling.js';
import { useResource } from '../core/resource.js';
import { may, toast } from '../core/state.js';
import { Note } from '../parts/alert.js';
import { DeedDialog } from '../parts/dialog.js';
import { Choice } from '../parts/field.js';
import { Heading } from '../parts/heading.js';
import { List } from '../parts/list.js';
import { Empty, View } from '../parts/view.js';
import { KeyActions, type KeyDeed, keyColumns, type ShownKey } from './keys/key-columns.js';

interface Keys {
  readonly source: 'environment' | 'database';
  readonly signing_kid: string;
  readonly token_seconds: number;
  readonly rotates_every_seconds: number | null;
  readonly keys: readonly ShownKey[];
}

/** A standby key becomes active by itself. */
const POLL_MS = 5000;

export function Page() {
  const keys = useResource<Keys>('/api/keys');
  const [deed, setDeed] = useState<KeyDeed | null>(null);
  const isStored = keys.data?.source === 'database';
  usePolling<Keys>(isStored ? '/api/keys' : null, POLL_MS, keys.put);
  const run = async (path: string, body: object) => {
    const { data } = await send<Keys>('POST', `/api/keys/${path}`, { body });
    keys.put(data);
    toast('The keys have changed: every process follows within five seconds');
  };
  return (
    <>
      <Heading title="Signing keys" about="What signs access tokens, and what verifies them." of={keys}>
        {isStored && may('admin') && (
          <button type="button" onClick={() => setDeed({ verb: 'rotate' })}>
            Rotate
          </button>
        )}
      </Heading>
      <View of={keys}>
        {(data) => (
          <>
            <About keys={data} />
            {data.keys.length === 0 ? (
              <Empty title="AUTH_JWT_SECRET signs">
                <p>The first rotation makes a key of its own and keeps the tokens under the secret valid.</p>
              </Empty>
            ) : (
              <List
                label="Signing keys"
                rows={data.keys}
                columns={[
                  ...keyColumns(data.signing_kid),
                  ...(isStored
                    ? [{ title: 'Actions', cell: (key: ShownKey) => <KeyActions of={key} choose={setDeed} /> }]
                    : []),
                ]}
                keyOf={({ kid }) => kid}
              />
            )}
          </>
        )}
      </View>
      {deed !== null && <KeyDialog deed={deed} run={run} onClose={() => setDeed(null)} />}
    </>
  );
}

function About({ keys }: { readonly keys: Keys }) {
  const { source, token_seconds, rotates_every_seconds } = keys;
  const minutes = Math.round(token_seconds / 60);
  if (source === 'environment') {
    return (
      <Note>
        <p>
          The keys are in <code>AUTH_JWT_KEYS</code>, so they are changed where the settings are. With{' '}
          <code>AUTH_JWT_KEYS_SOURCE=database</code> they are changed here, without a restart.
        </p>
      </Note>
    );
  }
  const days = rotates_every_seconds === null ? null : Math.round(rotates_every_seconds / 86_400);
  return (
    <p class="muted">
      A token lives {minutes} minutes at most, so a key that no longer signs is needed that long and a minute.{' '}
      {days === null ? 'No rotation starts by itself.' : `A rotation starts by itself after ${days} days.`}
    </p>
  );
}

interface KeyDialogProps {
  readonly deed: KeyDeed;
  readonly run: (path: string, body: object) => Promise<void>;
  readonly onClose: () => void;
}

const meanings = {
  promote:
    'It signs at once; the key that signed until now goes on verifying. Verifiers that have not fetched it yet refuse its first tokens.',
  retire: 'Its tokens are refused from now on, and its private part is deleted. A retired key does not come back.',
  revoke:
    'All servers refuse its tokens within five seconds. Clients refresh theirs, so people stay signed in; a client that cannot refresh signs in again. It does not come back.',
} as const;

function KeyDialog({ deed, run, onClose }: KeyDialogProps) {
  if (deed.verb === 'rotate') {
    return (
      <DeedDialog
        title="Rotate the signing key"
        verb="Rotate"
        onClose={onClose}
        run={({ reason, form }) =>
          run('rotate', { reason, alg: form.get('alg'), wait_seconds: Number(form.get('wait_seconds')) })
        }
      >
        <p>
          A new key is published at once and signs after the wait, when all verifiers have fetched it. The former one is
          retired when its last token has expired. People stay signed in.
        </p>
        <Choice
          label="Algorithm"
          name="alg"
          choices={[
            ['ES256', 'ES256'],
            ['EdDSA', 'EdDSA: auth-js cannot verify it'],
          ]}
        />
        <Choice label="It signs" name="wait_seconds" value="600" choices={waits} />
      </DeedDialog>
    );
  }
  const { verb, kid } = deed;
  return (
    <DeedDialog
      title={`${verb[0]!.toUpperCase()}${verb.slice(1)} a key`}
      verb={`${verb[0]!.toUpperCase()}${verb.slice(1)}`}
      isDanger={verb !== 'promote'}
      onClose={onClose}
      run={({ reason }) => run(verb, { kid, reason })}
    >
      <p class="break">
        <code>{kid}</code>
      </p>
      <p>{meanings[verb]}</p>
    </DeedDialog>
  );
}

const waits = [
  ['600', 'in 10 minutes: clients keep the set so long'],
  ['3600', 'in an hour'],
  ['86400', 'in a day'],
  ['0', 'at once: verifiers that have an older set refuse its first tokens'],
] as const;
