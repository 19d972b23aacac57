import { redirect } from 'next/navigation';
import { readUser } from '../../lib/user.js';
import { signInOnPages } from '../actions.js';
import { SignInForm } from './form.js';

export default async function SignIn({ searchParams }) {
  if ((await readUser()) !== null) redirect('/account');
  const { failed } = await searchParams;
  return (
    <main>
      <h1>Sign in</h1>
      {failed !== undefined && <p role="alert">That did not work. Please sign in again.</p>}
      <SignInForm />
      <form action={signInOnPages}>
        <button type="submit">Other ways to sign in</button>
      </form>
    </main>
  );
}
