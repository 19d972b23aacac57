/** Numbers in a row, each a link to the list behind it. */

export interface Figure {
  readonly label: string;
  readonly value: string;
  readonly link: string;
  readonly about?: string | undefined;
  /** True: somebody should look. */
  readonly isBad?: boolean;
}

export interface Live {
  readonly processes: number;
  readonly threads: number;
  readonly versions: readonly string[];
  readonly requests_per_second: number;
  readonly p50_ms: number | null;
  readonly p99_ms: number | null;
  readonly hashes_running: number;
  readonly hashes_queued: number;
  readonly hashes_rejected: number;
  readonly connections_open: number;
  readonly connections_limit: number;
  readonly connections_waiting: number;
  readonly mails_waiting: number;
  readonly texts_waiting: number;
  readonly mails_failed: number;
}

export const Figures = ({ figures }: { readonly figures: readonly Figure[] }) => (
  <ul class="figures">
    {figures.map(({ label, value, link, about, isBad }) => (
      <li key={label}>
        <a href={link} class={isBad ? 'bad' : ''}>
          <span class="label">{label}</span>
          <span class="value">{value}</span>
          {about !== undefined && <span class="small muted">{about}</span>}
        </a>
      </li>
    ))}
  </ul>
);

const count = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 1 });

function milliseconds(value: number | null): string {
  if (value === null) return '–';
  return `${value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en')} ms`;
}

export function liveFigures(live: Live, links: Readonly<Record<string, string>>): readonly Figure[] {
  const to = (name: string) => links[name] ?? '/requests';
  return [
    {
      label: 'Requests a second',
      value: count(live.requests_per_second),
      link: to('requests_per_second'),
      about: `${live.processes} ${live.processes === 1 ? 'process' : 'processes'}, ${live.threads} ${live.threads === 1 ? 'thread' : 'threads'}`,
    },
    {
      label: 'Half answered within',
      value: milliseconds(live.p50_ms),
      link: to('p50_ms'),
      about: 'p50 of the last minute',
    },
    {
      label: '99 of 100 within',
      value: milliseconds(live.p99_ms),
      link: to('p99_ms'),
      about: 'p99 of the last minute',
    },
    {
      label: 'Passwords waiting',
      value: count(live.hashes_queued),
      link: to('hashes_queued'),
      about: `${live.hashes_running} being checked`,
      isBad: live.hashes_queued > 0,
    },
    {
      label: 'Waiting for the database',
      value: count(live.connections_waiting),
      link: to('connections_waiting'),
      about: `${live.connections_open} of ${live.connections_limit} connections open`,
      isBad: live.connections_waiting > 0,
    },
    {
      label: 'Mails waiting',
      value: count(live.mails_waiting),
      link: to('mails_waiting'),
      about: live.mails_failed > 0 ? `${count(live.mails_failed)} given up` : undefined,
      isBad: live.mails_failed > 0,
    },
    { label: 'Texts waiting', value: count(live.texts_waiting), link: to('texts_waiting') },
  ];
}
