/** Reads the answer of a hook: its output, or the error object with which it refuses. */
import { cutBytes } from '../../cut-bytes.js';
import { findInexactNumber } from '../../exact-numbers.js';
import { apiError } from '../errors.js';
import type { OutboundAnswer } from '../outbound/outbound.js';
import { failed, HookFailure } from './failure.js';

export type HookOutput = Readonly<Record<string, unknown>>;

const MAX_MESSAGE_BYTES = 1024;

/**
 * @returns the output; {} for 204
 * @throws HookFailure
 */
export function readHttpAnswer({ status, headers, text }: OutboundAnswer): HookOutput {
  const details = { status, text };
  if (status === 204) return {};
  if (status !== 200 && status !== 202) {
    const reason = `the hook answered with status ${status}`;
    if (status === 400) throw failed('bad_answer', 'hookBadInput', reason, {}, details);
    if (status === 401) throw failed('bad_answer', 'hookUnauthorized', reason, {}, details);
    if (status === 429 || status === 503) throw failed('bad_answer', 'hookUnavailable', reason, {}, details);
    throw failed('bad_answer', 'hookBadStatus', reason, { status }, details);
  }
  const type = headers['content-type'];
  if (mediaTypeOf(type ?? '') !== 'application/json') {
    const problem =
      type === undefined
        ? 'Invalid Content-Type: Missing Content-Type header'
        : `Invalid JSON response. Received content-type: ${printable(type)}`;
    throw failed('bad_answer', 'hookContentType', 'the answer is not application/json', { problem }, details);
  }
  return readOutput(text, details);
}

/**
 * Reads what a hook returned, as JSON.
 * @throws HookFailure hookBadJson unless it is an object or null, and for a number that cannot be kept; refused with an
 *   error object
 */
export function readOutput(text: string, details: { status?: number; text?: string } = {}): HookOutput {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw failed('bad_answer', 'hookBadJson', 'the answer is not JSON', {}, details);
  }
  const inexact = findInexactNumber(text);
  if (inexact !== null) {
    const reason = `the number at ${inexact} is larger or more precise than can be kept: return it as a string`;
    throw failed('bad_answer', 'hookBadJson', reason, {}, details);
  }
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw failed('bad_answer', 'hookBadJson', 'the answer is not a JSON object', {}, details);
  }
  const { error } = value as { error?: unknown };
  if (error === undefined || error === null) return value as HookOutput;
  if (typeof error !== 'object' || Array.isArray(error)) {
    throw failed('bad_answer', 'hookBadJson', 'the member error is not an object', {}, details);
  }
  const { http_code: status = 0, message = '' } = error as { http_code?: unknown; message?: unknown };
  if (typeof message !== 'string' || (status !== null && !Number.isInteger(status))) {
    throw failed('bad_answer', 'hookBadJson', 'the error has a member of the wrong type', {}, details);
  }
  if (message === '') return value as HookOutput;
  throw refusal(Number(status ?? 0), message);
}

/** A refusal by the hook. A status from 400 to 599 is passed on; any other becomes 500, which the log reports. */
export function refusal(status: number, message: string): HookFailure {
  const isUsable = status >= 400 && status <= 599;
  const shown = isUsable ? status : 500;
  const text = cutBytes(message, MAX_MESSAGE_BYTES);
  const note = isUsable || status === 0 ? '' : ` (its http_code ${status} is not one of 400 to 599)`;
  const error = apiError(shown === 500 ? 'hookRefused' : 'hookRefusedWith', { message: text }, { status: shown });
  return new HookFailure('refused', error, `the hook refused: ${text}${note}`);
}

const mediaTypeOf = (type: string): string => type.replace(/;.*$/s, '').trim().toLowerCase();

const printable = (text: string): string => text.slice(0, 100).replace(/[^\x20-\x7e]/g, '?');
