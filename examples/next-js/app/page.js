import Link from 'next/link';
import { readUser } from '../lib/user.js';

export default async function Home() {
  const user = await readUser();
  return (
    <main>
      <h1>Example</h1>
      {user === null ? <Link href="/sign-in">Sign in</Link> : <Link href="/account">Your account</Link>}
    </main>
  );
}
