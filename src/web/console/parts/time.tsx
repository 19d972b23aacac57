/** How long ago something was, with the exact time as title. */
import { signal } from '@preact/signals';

const TICK_MS = 30_000;
const now = signal(Date.now());
setInterval(() => {
  if (document.visibilityState === 'visible') now.value = Date.now();
}, TICK_MS);

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** As "3 hr. ago". @param at RFC 3339 */
export function sayWhen(at: string, nowMs: number): string {
  const seconds = (Date.parse(at) - nowMs) / 1000;
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return seconds > 0 ? 'in less than a minute' : 'just now';
}

const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });
const short = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

interface TimeProps {
  /** RFC 3339. */
  readonly at: string | null | undefined;
  /** In place of nothing. */
  readonly never?: string;
  /** Shows the date in place of how long ago. */
  readonly isExact?: boolean;
}

export function Time({ at, never = 'never', isExact = false }: TimeProps) {
  if (!at) return <span class="muted">{never}</span>;
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return <span>{at}</span>;
  return (
    <time dateTime={at} title={`${exact.format(time)}\n${at}`}>
      {/* Not the last tick: what came after it would lie in the future. */}
      {isExact ? short.format(time) : sayWhen(at, Math.max(now.value, Date.now()))}
    </time>
  );
}
