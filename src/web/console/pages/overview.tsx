/** How the servers are: what they do now, what happened by day, what checks find. */
import { useEffect } from 'preact/hooks';
import { pathWith } from '../core/api.js';
import { hrefWith, place } from '../core/location.js';
import { useResource } from '../core/resource.js';
import { Note } from '../parts/alert.js';
import { Heading } from '../parts/heading.js';
import { Empty, View } from '../parts/view.js';
import { Chart } from './overview/chart.js';
import { type Figure, Figures, type Live, liveFigures } from './overview/figures.js';
import { active, failures, type Series, signInsByMethod, succeeded } from './overview/series.js';

interface Overview {
  readonly is_recording: boolean;
  readonly days: readonly string[];
  readonly series: readonly Series[];
  readonly active_until: string | null;
  readonly live: Live | null;
  readonly links: Readonly<Record<string, string>>;
  readonly faults: readonly { readonly name: string; readonly text: string; readonly link: string }[];
}

const spans = ['7', '30', '90'];
/** Threads report every ten seconds. */
const REFRESH_MS = 10_000;

export function Page() {
  const days = spans.find((span) => span === place.value.query.get('days')) ?? '30';
  const overview = useResource<Overview>(pathWith('/api/overview', { days }));
  const { reload } = overview;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void reload(true);
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, [reload]);
  return (
    <>
      <Heading title="Overview" about="Of all servers on this database.">
        <nav class="spans" aria-label="Days shown">
          {spans.map((span) => (
            <a key={span} href={hrefWith({ days: span })} aria-current={span === days ? 'true' : undefined}>
              {span} days
            </a>
          ))}
        </nav>
      </Heading>
      <View of={overview} rows={12}>
        {(data) => <Shown data={data} />}
      </View>
    </>
  );
}

function Shown({ data }: { readonly data: Overview }) {
  const { days, series, active_until, live, links, faults, is_recording } = data;
  return (
    <>
      {!is_recording && (
        <Note tone="warn">
          <p>
            This server records no figures: <code>AUTH_CONSOLE_RECORDS_ENABLED</code> is off.
          </p>
        </Note>
      )}
      <section aria-labelledby="now">
        <h2 id="now">Now</h2>
        {live === null ? (
          <Empty title="No server has reported within 30 seconds">
            <p>Servers report some seconds after their start, and then every ten seconds.</p>
          </Empty>
        ) : (
          <Figures figures={liveFigures(live, links)} />
        )}
      </section>
      <Checks faults={faults} />
      <section aria-labelledby="people">
        <h2 id="people">Active users</h2>
        <Figures figures={activeFigures(series, active_until)} />
      </section>
      <div class="charts">
        <DayChart title="Sign-ins" days={days} lines={signInsByMethod(series)} />
        <DayChart title="Failed sign-ins" days={days} lines={failures(series, 'sign_in')} />
        <DayChart
          title="Sign-ups"
          days={days}
          lines={[...succeeded(series, 'sign_up', 'New accounts'), ...failures(series, 'sign_up')]}
        />
        <DayChart
          title="Refreshes"
          days={days}
          lines={[...succeeded(series, 'refresh', 'Renewed'), ...failures(series, 'refresh')]}
        />
      </div>
    </>
  );
}

function DayChart(props: Parameters<typeof Chart>[0]) {
  if (props.lines.length > 0) return <Chart {...props} />;
  return (
    <section class="card chart">
      <h2>{props.title}</h2>
      <Empty title="None in these days" />
    </section>
  );
}

function Checks({ faults }: Pick<Overview, 'faults'>) {
  if (faults.length === 0) return null;
  return (
    <section aria-labelledby="checks">
      <h2 id="checks">
        Checks found {faults.length} {faults.length === 1 ? 'fault' : 'faults'}
      </h2>
      <ul class="faults">
        {faults.map(({ name, text, link }) => (
          <li key={name + text}>
            <a href={link}>{name}</a> {text.replace(`${name} `, '')}
          </li>
        ))}
      </ul>
    </section>
  );
}

const timeOfDay = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });

function describeUntil(until: string | null): string {
  if (until === null) return 'counted once an hour';
  const isNow = Date.now() - Date.parse(until) < 60_000;
  return isNow ? 'until now' : `until ${timeOfDay.format(new Date(until))}`;
}

const activeFigures = (series: readonly Series[], until: string | null): readonly Figure[] =>
  (['day', 'week', 'month'] as const).map((span) => {
    const found = active(series, span);
    const count = found?.counts.at(-1);
    return {
      label: { day: 'Today', week: 'In 7 days', month: 'In 30 days' }[span],
      value: count === undefined ? '–' : count.toLocaleString('en'),
      link: found?.link ?? '/users',
      about: describeUntil(until),
    };
  });
