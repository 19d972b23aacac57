import { once } from 'node:events';
import http from 'node:http';
import { Worker } from 'node:worker_threads';
import type { EdgeWorkerOrder } from '../support/edge-worker.js';
import { t } from '../support/tap.js';

const { openAcceptor } = await import('../../src/server/http/listen.js');

interface Child {
  readonly worker: Worker;
  readonly descriptor: unknown;
  readonly ended: Promise<number>;
  order(what: EdgeWorkerOrder): void;
}

async function startChild(): Promise<Child> {
  const worker = new Worker(new URL('../support/edge-worker.js', import.meta.url));
  const ended = new Promise<number>((resolve) => worker.once('exit', resolve));
  const [descriptor] = (await once(worker, 'message')) as [unknown];
  return { worker, descriptor, ended, order: (what) => worker.postMessage(what) };
}

/** Each call opens a new connection. */
function get(port: number, path = '/thread'): Promise<string> {
  return new Promise((resolve, reject) => {
    http
      .get({ host: '127.0.0.1', port, path, agent: false }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('end', () => resolve(`${answer.statusCode} ${text}`));
      })
      .on('error', reject);
  });
}

async function count(port: number, times: number): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (let i = 0; i < times; i++) {
    const key = await get(port);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

t.test('connections are shared, a lost thread is replaced, closing is clean', async (t) => {
  const acceptor = await openAcceptor({ host: '127.0.0.1', port: 0 });
  const [first, second] = [await startChild(), await startChild()];
  acceptor.add(first.descriptor);
  acceptor.add(second.descriptor);
  const both = await count(acceptor.port, 20);
  t.same([...both.values()], [10, 10], 'turn by turn');

  first.worker.once('message', () => {
    acceptor.remove(first.descriptor);
    first.order('close');
  });
  let isDown = false;
  const storm = [1, 2, 3, 4].map(async () => {
    const statuses = new Set<string>();
    while (!isDown) statuses.add((await get(acceptor.port)).slice(0, 3));
    return [...statuses];
  });
  first.order('throw');
  t.equal(await first.ended, 1, 'the thread died of its fault');
  isDown = true;
  t.same(await Promise.all(storm), [['200'], ['200'], ['200'], ['200']], 'and no request failed');
  const one = await count(acceptor.port, 10);
  t.same([...one.entries()], [[`200 ${second.worker.threadId}`, 10]], 'the other goes on');

  const third = await startChild();
  acceptor.add(third.descriptor);
  t.same([...(await count(acceptor.port, 10)).values()], [5, 5], 'a new thread takes its place');

  const slow = [get(acceptor.port, '/slow'), get(acceptor.port, '/slow')];
  await new Promise((resolve) => setTimeout(resolve, 100));
  acceptor.close();
  for (const child of [second, third]) {
    acceptor.remove(child.descriptor);
    child.order('close');
  }
  t.match(
    (await Promise.all(slow)).map((text) => text.slice(0, 3)),
    ['200', '200'],
    'what was running is answered',
  );
  t.same(await Promise.all([second.ended, third.ended]), [0, 0], 'threads end by themselves');
  await t.rejects(get(acceptor.port), { code: 'ECONNREFUSED' });
});

t.test('without a thread the acceptor answers 503', async (t) => {
  const acceptor = await openAcceptor({ host: '127.0.0.1', port: 0 });
  t.teardown(() => acceptor.close());
  t.match(await get(acceptor.port), /^503 .*service_unavailable/);
  const head = await fetch(`http://127.0.0.1:${acceptor.port}/`, { method: 'HEAD' });
  t.same([head.status, head.headers.get('connection'), await head.text()], [503, 'close', '']);
});

t.test('a taken port is an error that names the solution', async (t) => {
  const acceptor = await openAcceptor({ host: '127.0.0.1', port: 0 });
  t.teardown(() => acceptor.close());
  await t.rejects(openAcceptor({ host: '127.0.0.1', port: acceptor.port }), {
    code: 'LISTEN_FAILED',
    message: new RegExp(`127.0.0.1, port ${acceptor.port}.*PORT`),
  });
});
