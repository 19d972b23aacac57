/**
 * Loaded with `node --import` into a server that is profiled: SIGUSR2 begins a CPU profile of its main thread, a second
 * one ends it and writes it to the file that BENCH_PROFILE names.
 */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { isMainThread } from 'node:worker_threads';

const file = process.env['BENCH_PROFILE'];
if (isMainThread && file !== undefined) {
  let session: Session | undefined;
  process.on('SIGUSR2', () => {
    if (session === undefined) {
      session = new Session();
      session.connect();
      session.post('Profiler.enable');
      session.post('Profiler.setSamplingInterval', { interval: 200 });
      session.post('Profiler.start');
      return;
    }
    session.post('Profiler.stop', (error, result) => {
      if (error === null) writeFileSync(file, JSON.stringify(result.profile));
    });
    session = undefined;
  });
}
