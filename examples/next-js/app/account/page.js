import { redirect } from 'next/navigation';
import { apiUrl } from '../../lib/settings.js';
import { readUser } from '../../lib/user.js';
import { signOut } from '../actions.js';

export default async function Account() {
  const user = await readUser();
  if (user === null) redirect('/sign-in');
  const response = await fetch(`${apiUrl}/orders`, { headers: { Authorization: `Bearer ${user.token}` } });
  const orders = response.ok ? await response.json() : [];
  return (
    <main>
      <h1>Hello {user.email}</h1>
      <ul>
        {orders.map(({ id, title }) => (
          <li key={id}>{title}</li>
        ))}
      </ul>
      <form action={signOut}>
        <button type="submit">Sign out</button>
      </form>
    </main>
  );
}
