/** Who is signed in: asked once at the start, then by every sign-in. */
import { ApiFault, asFault, send } from './api.js';
import { navigate } from './location.js';
import { type Operator, operator } from './state.js';

export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

export interface OwnSession {
  readonly id: string;
  readonly is_current: boolean;
  readonly method: string;
  readonly user_agent: string | null;
  readonly ip: string | null;
  readonly created_at: string;
  readonly used_at: string;
}

export interface Me {
  readonly operator: Operator;
  readonly has_password: boolean;
  readonly passkeys: readonly Passkey[];
  readonly session: { readonly id: string; readonly method: string; readonly ends_at: string };
  readonly sessions: readonly OwnSession[];
}

/** @throws ApiFault when the server cannot be asked */
export async function loadOperator(): Promise<void> {
  try {
    operator.value = (await send<Me>('GET', '/api/me')).data.operator;
  } catch (error) {
    if (asFault(error).status !== 401) throw error;
    operator.value = null;
  }
}

/** The page of the address is shown next. @throws ApiFault */
export async function signIn(kind: 'password' | 'passkey', proof: object): Promise<void> {
  const { data } = await send<{ operator: Operator }>('POST', `/api/sign-in/${kind}`, { body: proof });
  operator.value = data.operator;
}

/** For a dialog that confirms: the proof goes to the session that is open. */
export async function confirmWith(proof: object): Promise<void> {
  await send('POST', '/api/me/step-up', { body: proof });
}

export async function signOutOperator(): Promise<void> {
  await send('DELETE', '/api/me/session');
  operator.value = null;
  navigate('/');
}

interface Ceremony {
  readonly challenge_id: string;
  // biome-ignore lint/suspicious/noExplicitAny: the browser checks it.
  readonly options: any;
}

/** The browser asks for a passkey. @throws ApiFault when it gets none */
export async function usePasskey(): Promise<{ challenge_id: string; credential: unknown }> {
  const { data } = await send<Ceremony>('POST', '/api/sign-in/passkey/options');
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(data.options);
  const credential = await ask(() => navigator.credentials.get({ publicKey }));
  return { challenge_id: data.challenge_id, credential };
}

/**
 * The browser makes a passkey.
 * @param path where its options are asked for. @throws ApiFault when it makes none
 */
export async function createPasskey(
  path: string,
  body: object,
): Promise<{ challenge_id: string; credential: unknown }> {
  const { data } = await send<Ceremony>('POST', path, { body });
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(data.options);
  const credential = await ask(() => navigator.credentials.create({ publicKey }));
  return { challenge_id: data.challenge_id, credential };
}

async function ask(run: () => Promise<Credential | null>): Promise<unknown> {
  try {
    const credential = (await run()) as PublicKeyCredential | null;
    if (credential === null) throw new Error('no credential');
    return credential.toJSON();
  } catch (error) {
    const isKnown = error instanceof DOMException && error.name === 'InvalidStateError';
    if (isKnown) throw new ApiFault(0, 'passkey_exists', 'This device has a passkey for you already.');
    throw new ApiFault(0, 'passkey_cancelled', 'No passkey was used: the dialog was closed, or took too long.');
  }
}
