'use client';

import { useActionState } from 'react';
import { signIn } from '../actions.js';

export function SignInForm() {
  const [problem, action, isPending] = useActionState(signIn, null);
  return (
    <form action={action}>
      <p>
        <label>
          Email <input name="email" type="email" autoComplete="username" required />
        </label>
      </p>
      <p>
        <label>
          Password <input name="password" type="password" autoComplete="current-password" required />
        </label>
      </p>
      {problem !== null && <p role="alert">{problem}</p>}
      <button type="submit" name="action" value="sign-in" disabled={isPending}>
        Sign in
      </button>{' '}
      <button type="submit" name="action" value="sign-up" disabled={isPending}>
        Sign up
      </button>
    </form>
  );
}
