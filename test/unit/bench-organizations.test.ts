import type { OrganizationProcess } from '../../bench/lib/organizations.js';
import {
  describeMissedOrganizations,
  judgeOrganizations,
  reportOrganizations,
} from '../../bench/lib/organizations-report.js';
import { printReport } from '../../bench/lib/results.js';
import { t } from '../support/tap.js';

const sample = (requestsPerSecond: number) => ({ requestsPerSecond, p99Ms: 5 });
const cost = (refreshOn: number, before?: number): OrganizationProcess => ({
  samples: {
    refresh: { off: sample(1000), on: sample(refreshOn), ...(before && { before: sample(before) }) },
    user: { off: sample(2000), on: sample(1960), ...(before && { before: sample(2 * before) }) },
  },
});
const machine = {
  ...{ date: '2026-11-21T12:00:00.000Z', commit: 'abc', cores: 2, cpu: 'CPU', memoryGb: 8, platform: 'linux x64' },
  ...{ node: 'v20', postgres: '18.4', loadBefore: 0 },
};
const options = { processes: 1, seconds: 4, users: 1_000_000, gates: true };
const quick = { what: 'activation', p50Ms: 3, p95Ms: 50 };
const slow = { what: 'members, a page', p50Ms: 3, p95Ms: 51 };

t.test('the median of the ratios of the processes decides', async (t) => {
  t.match(judgeOrganizations([cost(950), cost(800), cost(990)]), [
    { value: 0.95, verdict: 'gate' },
    { value: 0.98, verdict: 'gate' },
  ]);
  t.match(judgeOrganizations([cost(1000, 1025)]).slice(2), [
    { value: 1000 / 1025, verdict: 'missed' },
    { value: 1000 / 1025, verdict: 'missed' },
  ]);
});

t.test('ratios and lists that miss their gate are named', async (t) => {
  t.equal(describeMissedOrganizations({ costs: [cost(950)], scale: [quick] }), undefined);
  t.equal(
    describeMissedOrganizations({ costs: [cost(900)], scale: [quick, slow] }),
    'missed: refresh grant req/s, on ÷ off; members, a page',
  );
  t.equal(describeMissedOrganizations({ costs: [cost(950)], scale: [slow] }), 'missed: members, a page');
});

t.test('the report has what was measured', async (t) => {
  const whole = printReport(reportOrganizations({ machine, options, costs: [cost(950)], scale: [slow] }));
  t.match(whole, /on, five memberships[\s\S]*of 1,000,000 users[\s\S]*members, a page[\s\S]*missed/);
  t.notMatch(whole, /other revision/);
  t.notMatch(printReport(reportOrganizations({ machine, options, costs: [], scale: [quick] })), /GET \/user/);
  t.notMatch(printReport(reportOrganizations({ machine, options, costs: [cost(950)], scale: [] })), /p95/);
});
