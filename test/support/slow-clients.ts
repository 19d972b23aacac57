/**
 * A process that opens connections which send a byte now and then and never finish a request, and reports when the
 * server has closed them all. Arguments: port, how many, `head` or `body`. Prints one JSON line when all are open and
 * one when all are closed: `{"closedAfterMs":[shortest, median, longest],"statuses":{"408":1000}}`.
 */
import net from 'node:net';
import { median } from './statistics.js';

const [port, count, kind] = process.argv.slice(2) as [string, string, 'head' | 'body'];
const BYTE_MS = 3000;
const BEGINNINGS = {
  head: 'GET /settings HTTP/1.1\r\nHost: a\r\nX-Slow: ',
  body: 'POST /signup HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"email":"',
};

const closedAfterMs: number[] = [];
const statuses: Record<string, number> = {};
let open = 0;
for (let n = 0; n < Number(count); n++) {
  const startMs = performance.now();
  const socket = net.connect(Number(port), '127.0.0.1');
  let drip: NodeJS.Timeout | undefined;
  socket.on('connect', () => {
    socket.write(BEGINNINGS[kind]);
    // Not all at the same moment, and never so long without a byte that the connection would count as idle.
    drip = setTimeout(() => {
      socket.write('a');
      drip = setInterval(() => socket.write('a'), BYTE_MS);
    }, Math.random() * BYTE_MS);
    open += 1;
    if (open === Number(count)) process.stdout.write('{"open":true}\n');
  });
  let status = 'none';
  let fault = '';
  socket.on('data', (data) => {
    status = data.toString('latin1').split(' ')[1] ?? 'none';
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    fault = ` (${error.code})`;
  });
  socket.on('close', () => {
    clearInterval(drip);
    if (status === 'none') status += fault;
    closedAfterMs.push(performance.now() - startMs);
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (closedAfterMs.length < Number(count)) return;
    const figures = [Math.min(...closedAfterMs), median(closedAfterMs), Math.max(...closedAfterMs)].map(Math.round);
    process.stdout.write(`${JSON.stringify({ closedAfterMs: figures, statuses })}\n`);
    process.exit();
  });
}
