/**
 * Hashes many passwords in one thread and prints by how many bytes the C library's heap has grown meanwhile,
 * after half as many to warm up. A separate process, in which nothing else happens.
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
const before = allocatedBytes();
await hash(count);
process.stdout.write(`${allocatedBytes() - before}\n`);
await pool.close();
