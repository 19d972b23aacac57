/** A link of `latchkey operators`, an owner or `npm start`: sets up how to sign in, or signs in by itself. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiFault, asFault, send } from '../core/api.js';
import { navigate } from '../core/location.js';
import { createPasskey } from '../core/session.js';
import { type Operator, operator } from '../core/state.js';
import { Alert } from '../parts/alert.js';
import { Skeleton } from '../parts/view.js';
import { Entrance } from './entrance.js';
import { LinkPassword } from './link-password.js';

interface OpenedLink {
  readonly operator: Operator;
  readonly signs_in: boolean;
  readonly passkeys: boolean;
}

interface SignedIn {
  readonly operator: Operator;
}

/** The link is used up: the address forgets it. */
function enter(given: Operator): void {
  operator.value = given;
  navigate('/', true);
}

export function LinkPage() {
  // Browsers do not send what follows #.
  const link = useRef(location.hash.slice(1)).current;
  const [opened, setOpened] = useState<OpenedLink | null>(null);
  const [fault, setFault] = useState<ApiFault | null>(null);
  useEffect(() => {
    const open = async () => {
      const { data } = await send<OpenedLink>('POST', '/api/link', { body: { link } });
      if (!data.signs_in) return setOpened(data);
      enter((await send<SignedIn>('POST', '/api/link/session', { body: { link } })).data.operator);
    };
    open().catch((error: unknown) => setFault(asFault(error)));
  }, [link]);
  if (fault !== null) {
    return (
      <Entrance title="This link does not work">
        <Alert fault={fault} />
        <p>
          <a href="/">Sign in</a>, or ask an owner for another link.
        </p>
      </Entrance>
    );
  }
  if (opened === null) {
    return (
      <Entrance title="Opening the link">
        <Skeleton rows={3} />
      </Entrance>
    );
  }
  return <SetUp link={link} opened={opened} />;
}

function SetUp({ link, opened }: { readonly link: string; readonly opened: OpenedLink }) {
  const hasPasskeys = opened.passkeys && 'PublicKeyCredential' in window;
  const [isPassword, setPassword] = useState(!hasPasskeys);
  const [fault, setFault] = useState<ApiFault | null>(null);
  const [isBusy, setBusy] = useState(false);
  const addPasskey = async () => {
    setBusy(true);
    setFault(null);
    try {
      const answer = await createPasskey('/api/link/passkey/options', { link });
      enter((await send<SignedIn>('POST', '/api/link/passkey', { body: { link, ...answer } })).data.operator);
    } catch (error) {
      setFault(asFault(error));
      setBusy(false);
    }
  };
  return (
    <Entrance title={`Welcome, ${opened.operator.name}`}>
      <p>
        You get the role <strong>{opened.operator.role}</strong>. Choose how you will sign in to this console.
      </p>
      {fault !== null && <Alert fault={fault} />}
      {isPassword ? (
        <LinkPassword link={link} name={opened.operator.name} onDone={enter} />
      ) : (
        <button type="button" aria-busy={isBusy} onClick={() => void addPasskey()}>
          Create a passkey
        </button>
      )}
      {hasPasskeys && (
        <p>
          <button type="button" class="link" onClick={() => setPassword(!isPassword)}>
            {isPassword ? 'Use a passkey instead' : 'Use a password and an authenticator app instead'}
          </button>
        </p>
      )}
    </Entrance>
  );
}
