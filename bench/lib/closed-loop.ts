/** Closed loops: autocannon, in a thread that rig.ts starts. Each connection sends its next request after an answer. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import autocannon from 'autocannon';
import { type ClosedLoop, type ClosedLoopResult, isGood, LoadWindow, type Mutable } from './load-window.js';
import { type Account, findRefreshToken, isChain, requestFor } from './requests.js';

/** The run outlasts its window by this; autocannon checks every SAMPLE_MS whether to stop. */
const SLACK_SECONDS = 0.2;
const SAMPLE_MS = 100;
/** The first answers of a server under callgrind are slow. */
const TIMEOUT_SECONDS = 60;

/** @throws when a request had no answer */
export async function runClosedLoop(job: ClosedLoop): Promise<ClosedLoopResult> {
  const { traffic, mostRequests } = job;
  const accounts: Mutable<Account>[] = job.accounts.map((account) => ({ ...account }));
  const rotates = job.connections !== undefined;
  const isChained = isChain(traffic);
  const window = new LoadWindow(job);
  let next = 0;

  function setupClient(client: autocannon.Client): void {
    let account: Mutable<Account>;
    let answer: Buffer[] = [];
    // setRequest() holds for one request only.
    const prepare = () => client.setRequests([requestFor(traffic, account, `${randomUUID()}@example.com`)]);
    const takeAccount = () => {
      account = accounts[next++ % accounts.length]!;
    };
    if (isChained) client.on('body', (part) => answer.push(part));
    client.on('response', (status, _bytes, milliseconds) => {
      window.add(status, milliseconds);
      if (isChained) {
        const token = isGood(status) ? findRefreshToken(Buffer.concat(answer)) : undefined;
        if (token !== undefined) account.refreshToken = token;
        answer = [];
      }
      if (rotates) takeAccount();
      if (rotates || isChained || traffic === 'signup') prepare();
    });
    takeAccount();
    prepare();
  }

  const { errors } = await autocannon({
    url: job.url,
    connections: job.connections ?? accounts.length,
    ...(mostRequests === undefined ? {} : { amount: mostRequests }),
    duration: job.warmUpSeconds + job.seconds + SLACK_SECONDS,
    ...{ sampleInt: SAMPLE_MS, timeout: TIMEOUT_SECONDS, bailout: 1, skipAggregateResult: true },
    setupClient,
  });
  if (errors > 0) throw new Error(`${traffic}: a request had no answer`);
  const result = window.result();
  // autocannon closes its connections without the last answers, on which the server still works: password hashes queue.
  if (mostRequests === undefined) await pause(result.p99Ms);
  return { ...result, accounts };
}
