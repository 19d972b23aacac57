import net, { type AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { codeOf, enrolTotp, type Session } from '../support/authenticator-app.js';
import { freshEmail, openTestServer, password } from '../support/server.js';

const SYNC = 'S'.charCodeAt(0);
const QUERY = 'Q'.charCodeAt(0);

/** A proxy before Postgres that counts what the server waits for: a Sync or a simple query ends each trip. */
async function openTripCounter(t: Test, target: URL) {
  let trips = 0;
  const sockets = new Set<net.Socket>();
  const proxy = net.createServer((client) => {
    const upstream = net.connect(Number(target.port || 5432), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => [client, upstream].map((one) => one.destroy()));
    }
    let pending = Buffer.alloc(0);
    // The first message has no type, only its length.
    let isStarted = false;
    client.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      for (;;) {
        const head = isStarted ? 1 : 0;
        if (pending.length < head + 4) return;
        const size = head + pending.readUInt32BE(head);
        if (pending.length < size) return;
        if (isStarted && (pending[0] === SYNC || pending[0] === QUERY)) trips++;
        isStarted = true;
        pending = pending.subarray(size);
      }
    });
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    /** @returns the trips of some work; the server has its own from time to time, and prepares what is new: the least of a few counts */
    async during(work: () => Promise<unknown>): Promise<number> {
      const before = trips;
      await work();
      return trips - before;
    },
  };
}

t.test('a verification takes two trips to the database beside authentication', async (t) => {
  let counter!: Awaited<ReturnType<typeof openTripCounter>>;
  const server = await openTestServer(t, { DB_MAX_POOL_SIZE: '1' }, async (url) => {
    counter = await openTripCounter(t, new URL(url));
    return counter.url;
  });
  const { call, post } = server;
  const least = { user: Infinity, wrong: Infinity, right: Infinity };
  for (let round = 0; round < 5; round++) {
    const session = (await post('/signup', { email: freshEmail(), password })).body as Session;
    const { id, secret } = await enrolTotp(server, session);
    const bearer = session.access_token;
    const { body } = await call('POST', `/factors/${id}/challenge`, { bearer });
    const verify = (code: string) => async () => {
      const answer = await call('POST', `/factors/${id}/verify`, { bearer, body: { challenge_id: body.id, code } });
      t.equal(answer.status, code === '000000' ? 422 : 200);
    };
    // The first look-up of a token takes one more.
    await call('GET', '/user', { bearer });
    least.user = Math.min(least.user, await counter.during(() => call('GET', '/user', { bearer })));
    least.wrong = Math.min(least.wrong, await counter.during(verify('000000')));
    least.right = Math.min(least.right, await counter.during(verify(codeOf(secret))));
  }
  // A wrong code is taken from the tries and written to the audit log.
  t.same(least, { user: 1, wrong: 3, right: 3 });
});
