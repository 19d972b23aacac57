/** The counts of the overview, put together to charts. */
import type { ChartLine } from './chart.js';

export interface Series {
  readonly name: 'sign_in' | 'sign_up' | 'refresh' | 'active';
  readonly method: string;
  readonly result: string;
  readonly counts: readonly number[];
  readonly link: string;
}

const methodWords: Readonly<Record<string, string>> = {
  password: 'Password',
  otp: 'Code or link',
  oauth: 'Provider',
  passkey: 'Passkey',
  webauthn: 'Passkey',
  anonymous: 'Anonymous',
};
const tones = ['accent', 'ok', 'warn', 'danger', 'muted'] as const;

const sumOf = ({ counts }: Series): number => counts.reduce((sum, count) => sum + count, 0);

/** Successful sign-ins by method, the most used ones first. */
export const signInsByMethod = (series: readonly Series[]): readonly ChartLine[] =>
  series
    .filter(({ name, result }) => name === 'sign_in' && result === 'ok')
    .sort((a, b) => sumOf(b) - sumOf(a))
    .slice(0, tones.length)
    .map(({ method, counts, link }, at) => ({ label: methodWords[method] ?? method, counts, link, tone: tones[at]! }));

/** Failures by error_code, the most frequent ones first. */
export const failures = (series: readonly Series[], name: Series['name']): readonly ChartLine[] => {
  const byCode = new Map<string, Series>();
  for (const one of series.filter((one) => one.name === name && one.result !== 'ok')) {
    const known = byCode.get(one.result);
    const counts = known === undefined ? one.counts : one.counts.map((count, at) => count + known.counts[at]!);
    byCode.set(one.result, { ...one, counts });
  }
  return [...byCode.values()]
    .sort((a, b) => sumOf(b) - sumOf(a))
    .slice(0, 3)
    .map(({ result, counts, link }, at) => ({
      label: result.replaceAll('_', ' '),
      counts,
      link,
      tone: (['danger', 'warn', 'muted'] as const)[at]!,
    }));
};

/** Those that succeeded, as one line. */
export const succeeded = (series: readonly Series[], name: Series['name'], label: string): readonly ChartLine[] =>
  series
    .filter((one) => one.name === name && one.result === 'ok')
    .map(({ counts, link }) => ({ label, counts, link, tone: 'accent' }));

/** How many were active. */
export const active = (series: readonly Series[], span: 'day' | 'week' | 'month'): Series | undefined =>
  series.find(({ name, method }) => name === 'active' && method === span);
