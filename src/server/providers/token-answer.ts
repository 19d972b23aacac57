/** Token endpoints answer in many ways; here they become the one of RFC 6749 5 (reference/providers.md 3.2). */
import type { OutboundAnswer } from '../outbound.js';

export interface DecodedAnswer {
  readonly status: number;
  /** Everything the provider said; empty where it cannot be read. */
  readonly json: Readonly<Record<string, unknown>>;
  /** The part that RFC 6749 knows. Without `id_token`: the signature is checked elsewhere, or not asked for. */
  readonly plain: Response;
}

/** Never throws: an answer that cannot be read has no access token, which is what the reader finds out. */
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
    const json: unknown = JSON.parse(text);
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Record<string, unknown>;
  } catch {
    if (type === 'text/plain') return Object.fromEntries(new URLSearchParams(text));
  }
  return {};
}

/** The refusal of a provider for the log: its words on one line, cut, and without our secrets. */
export function inWords({ status, json }: DecodedAnswer, secrets: readonly string[]): string {
  const said = [json['error'], json['error_description']].filter((part) => typeof part === 'string' && part !== '');
  let text = said.join(': ');
  for (const secret of secrets) if (secret !== '') text = text.replaceAll(secret, '…');
  text = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').slice(0, 300);
  return `the token endpoint answered with status ${status}${text === '' ? '' : `, ${text}`}`;
}
