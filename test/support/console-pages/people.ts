/** Accounts of every kind, for pictures and tests of the console. */
import { adminToken } from '../admin.js';
import type { TestConsole } from '../console.js';
import { password } from '../server.js';

const NAMES = ['ada', 'grace', 'edsger', 'barbara', 'alan', 'katherine', 'donald', 'margaret', 'tim', 'radia'];

/** @returns the ids of the accounts, in the order of their names */
export async function addPeople({ call, post }: TestConsole): Promise<readonly string[]> {
  const bearer = adminToken();
  const add = async (body: object): Promise<string> => {
    const answer = await call('POST', '/admin/users', { bearer, body });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return answer.body.id;
  };
  await add({ phone: '15555550199', phone_confirm: true });
  await add({ email: 'not.confirmed.yet@example.com' });
  await add({ email: `${'a.rather.long.name.'.repeat(4)}of.somebody@${'with.a.long.domain.'.repeat(3)}example.com` });
  await add({ email: 'banned@example.com', email_confirm: true, ban_duration: '24h' });
  const ids: string[] = [];
  for (const name of NAMES) {
    ids.push(await add({ email: `${name}@example.com`, password, email_confirm: true, user_metadata: { name } }));
  }
  for (const name of NAMES.slice(0, 4)) {
    await post('/token?grant_type=password', { email: `${name}@example.com`, password });
    await post('/token?grant_type=password', { email: `${name}@example.com`, password: 'not the password' });
  }
  return ids;
}
