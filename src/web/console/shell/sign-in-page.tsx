import { signIn } from '../core/session.js';
import { Entrance } from './entrance.js';
import { ProofForm } from './proof-form.js';

/** Stands in place of any page; the page of the address follows. */
export const SignInPage = () => (
  <Entrance title="Sign in">
    <ProofForm
      verb="Sign in"
      onPasskey={(proof) => signIn('passkey', proof)}
      onPassword={(proof) => signIn('password', proof)}
    />
    <p class="small muted">
      No account yet, or locked out? An owner makes a link for you, and so does <code>latchkey operators create</code>{' '}
      or <code>reset</code> on the server.
    </p>
  </Entrance>
);
