'use client';

import { useActionState } from 'react';
import { signIn } from '../actions.js';

export function SignInForm() {
  const [{ email, message }, action, isPending] = useActionState(signIn, { email: '', message: '' });
  return (
    <form action={action}>
      <p>
        <label>
          Email <input name="email" type="email" autoComplete="username" defaultValue={email} required />
        </label>
      </p>
      <p>
        <label>
          Password <input name="password" type="password" autoComplete="current-password" required />
        </label>
      </p>
      {message !== '' && <p role="alert">{message}</p>}
      <button type="submit" name="action" value="sign-in" disabled={isPending}>
        Sign in
      </button>{' '}
      <button type="submit" name="action" value="sign-up" disabled={isPending}>
        Sign up
      </button>
    </form>
  );
}
