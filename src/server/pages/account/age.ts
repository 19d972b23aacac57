/** Times as people say them. They need no time zone, which a server does not know of a browser. */
import { html, type Markup } from '../../../html.js';
import type { Language } from '../contract.js';

const MINUTE = 60;
const units = [
  ['second', 1],
  ['minute', MINUTE],
  ['hour', 60 * MINUTE],
  ['day', 24 * 60 * MINUTE],
  ['month', 30 * 24 * 60 * MINUTE],
  ['year', 365 * 24 * 60 * MINUTE],
] as const;

const formats = new Map<string, Intl.RelativeTimeFormat>();

/** @returns such as `3 days ago`; below a minute `now`, since clocks differ */
export const describeAge = (tag: string, time: string, nowMs: number): string =>
  describeSpan(tag, Math.round((nowMs - Date.parse(time)) / 1000), -1);

function describeSpan(tag: string, seconds: number, sign: 1 | -1): string {
  const format = formats.get(tag) ?? new Intl.RelativeTimeFormat(tag, { numeric: 'auto' });
  formats.set(tag, format);
  if (seconds < MINUTE) return format.format(0, 'second');
  const [unit, length] = units.findLast(([, length]) => seconds >= length)!;
  return format.format(sign * Math.floor(seconds / length), unit);
}

/** The same for a page. */
export const ageOf = ({ tag }: Pick<Language, 'tag'>, time: string): Markup =>
  html`<time datetime="${time}">${describeAge(tag, time, Date.now())}</time>`;

/** Of a time to come, such as `in 3 months`. */
export const timeLeftOf = ({ tag }: Pick<Language, 'tag'>, time: string): Markup =>
  html`<time datetime="${time}">${describeSpan(tag, Math.round((Date.parse(time) - Date.now()) / 1000), 1)}</time>`;
