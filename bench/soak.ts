/** `npm run bench:soak`: whether memory and handles stay level during half an hour of ordinary load. */
import { type Bench, readCount, runBench } from './lib/command.js';
import { measureSoak, type Soak, type SoakOptions } from './lib/soak.js';
import { reportSoak } from './lib/soak-report.js';

const bench: Bench<SoakOptions, Soak> = {
  name: 'soak',
  usage: `Sends refresh grants, GET /user, password grants and sign-ups at a steady, modest rate, and follows the memory, the
handles and the descriptors of the server beside what REL-18 demands. Writes bench/results/soak.json,
bench/results/soak.svg and a section of bench/README.md.

Options:
  --minutes N          length of the run (30)
  --warm-up-minutes N  load before it, after 8,192 sessions have been opened, until code is compiled (6)
`,
  flags: { minutes: 'string', 'warm-up-minutes': 'string' },
  readOptions(values) {
    const [jobs = 30, warmUpJobs = 6] = [readCount(values, 'minutes'), readCount(values, 'warm-up-minutes')];
    return values['quick']
      ? { jobs: 3, warmUpJobs: 1, jobSeconds: 8, sampleSeconds: 2, fills: false }
      : { jobs, warmUpJobs, jobSeconds: 60, sampleSeconds: 10, fills: true };
  },
  limitSeconds: ({ jobs, warmUpJobs, jobSeconds }) => 900 + (jobs + warmUpJobs) * (jobSeconds + 15),
  measure: measureSoak,
  report: reportSoak,
  findFailure: ({ faults }) => (faults === 0 ? undefined : `${faults} answers were not 2xx`),
};

process.exitCode = await runBench(bench);
