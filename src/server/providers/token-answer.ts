/** Normalises token responses to RFC 6749 5 (docs/decisions.md, Provider responses). */
import { parseKeepingNumbers } from '../../exact-numbers.js';
import type { OutboundAnswer } from '../outbound/outbound.js';

export interface DecodedAnswer {
  readonly status: number;
  /** The whole response; empty if it cannot be parsed. */
  readonly json: Readonly<Record<string, unknown>>;
  /** The members of RFC 6749. Without `id_token`, whose signature is checked elsewhere. */
  readonly plain: Response;
}

/** Never throws: an unreadable response has no access token, which the library then reports. */
export function decodeTokenAnswer({ status, headers, text }: OutboundAnswer): DecodedAnswer {
  const json = decode(headers['content-type'] ?? '', text);
  const isFine = status >= 200 && status < 300 && !json['error'];
  const plain = isFine
    ? { access_token: json['access_token'], token_type: 'bearer' }
    : { error: typeof json['error'] === 'string' && json['error'] !== '' ? json['error'] : 'server_error' };
  const response = new Response(JSON.stringify(plain), {
    status: isFine ? 200 : status >= 400 && status < 500 ? status : 400,
    headers: { 'content-type': 'application/json' },
  });
  return { status, json, plain: response };
}

function decode(contentType: string, text: string): Record<string, unknown> {
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
  if (type === 'application/x-www-form-urlencoded') return Object.fromEntries(new URLSearchParams(text));
  try {
    const json = parseKeepingNumbers(text);
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Record<string, unknown>;
  } catch {
    if (type === 'text/plain') return Object.fromEntries(new URLSearchParams(text));
  }
  return {};
}

/** Describes an error of a provider for the log: on one line, cut, and without our secrets. */
export function inWords({ status, json }: DecodedAnswer, secrets: readonly string[]): string {
  const said = [json['error'], json['error_description']].filter((part) => typeof part === 'string' && part !== '');
  let text = said.join(': ');
  for (const secret of secrets) if (secret !== '') text = text.replaceAll(secret, '…');
  text = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').slice(0, 300);
  return `the token endpoint answered with status ${status}${text === '' ? '' : `, ${text}`}`;
}
