import { freshEmail, openTestServer, password } from './server.js';
import type { Test } from './tap.js';
import { watchThreads } from './watched-threads.js';

/** A test server and its crypto threads in the order they were started: those that hash first, the signing one last. */
export async function openWatchedServer(t: Test, settings: Record<string, string>) {
  const watched = watchThreads(t);
  const server = await openTestServer(t, settings);
  const email = freshEmail();
  t.equal((await server.post('/signup', { email, password })).status, 200);
  const signIn = () => server.post('/token?grant_type=password', { email, password });
  return { ...watched, signIn };
}
