/**
 * Hashes many passwords in one thread and prints by how many bytes the C library's heap has grown in the half in which it grew
 * less, twice, after half as many to warm up. A separate process, in which nothing else happens.
 */
import { readFileSync } from 'node:fs';
import { openCryptoPool } from '../../src/workers/pool.js';
import { testPoolOptions } from './crypto-pool.js';

const AT_ONCE = 32;
const count = Number(process.argv[2]);

const pool = await openCryptoPool({ ...testPoolOptions, engine: 'accelerator' });

async function hash(times: number): Promise<void> {
  for (let done = 0; done < times; done += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => pool.hashPassword('password')));
  }
}

/** Resident bytes of glibc's heaps: those of threads begin at a multiple of 64 MiB, where V8 seldom puts anything. */
function allocatedBytes(): number {
  const regions = readFileSync('/proc/self/smaps', 'utf8').split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m);
  const kilobytes = regions
    .filter((region) => /^[0-9a-f]*[048c]000000-\S+ rw-p \S+ \S+ 0 *\n/.test(region) || region.includes('[heap]'))
    .map((region) => Number(/^Rss: +(\d+)/m.exec(region)?.[1] ?? 0));
  return 1024 * kilobytes.reduce((sum, each) => sum + each, 0);
}

await hash(count / 2);
const sizes = [allocatedBytes()];
for (let half = 0; half < 2; half++) {
  await hash(count / 2);
  sizes.push(allocatedBytes());
}
// What leaks grows in both halves; what a heap takes once is in one of them.
const growths = sizes.slice(1).map((size, half) => size - sizes[half]!);
process.stdout.write(`${2 * Math.min(...growths)}\n`);
await pool.close();
