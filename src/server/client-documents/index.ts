/** Reads client metadata documents (draft-ietf-oauth-client-id-metadata-document-00, 4 and 6.5). */
import { callOut, type OutboundAnswer, OutboundError } from '../outbound.js';
import type { TestInternet } from '../public-address.js';
import type { Log } from '../telemetry/log.js';
import type { ClientDocument, ClientDocuments, DocumentFault } from './contract.js';
import { freshSeconds } from './freshness.js';

export interface ClientDocumentsOptions {
  readonly log: Pick<Log, 'info'>;
  readonly internet?: TestInternet | undefined;
}

const TOTAL_SECONDS = 5;
const MAX_BYTES = 65_536;
/** Anyone can cause a call. More at the same time are refused. */
const MAX_CALLS = 32;

export function openClientDocuments({ log, internet }: ClientDocumentsOptions): ClientDocuments {
  const running = new Map<string, ReturnType<ClientDocuments['read']>>();

  async function read(url: string): Promise<ClientDocument | { readonly fault: DocumentFault }> {
    let answer: OutboundAnswer;
    try {
      answer = await callOut({
        url,
        headers: { Accept: 'application/json' },
        totalSeconds: TOTAL_SECONDS,
        maxAnswerBytes: MAX_BYTES,
        followsRedirects: false,
        // OUTBOUND_PRIVATE_HOSTS is for addresses that administrators enter. Anyone can name this one.
        privateHosts: [],
        testInternet: internet,
      });
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const { fault: reason } = error;
      log.info({ component: 'oauth', host: new URL(url).host, reason }, 'A client metadata document could not be read');
      return { fault: 'unreadable' };
    }
    if (answer.status !== 200) return { fault: 'unreadable' };
    const members = isJson(answer) ? parseObject(answer.text) : null;
    return members === null ? { fault: 'noJson' } : { members, freshSeconds: freshSeconds(answer.headers, Date.now()) };
  }

  return {
    read(url) {
      const known = running.get(url);
      if (known !== undefined) return known;
      if (running.size >= MAX_CALLS) return Promise.resolve({ fault: 'busy' });
      const reading = read(url).finally(() => running.delete(url));
      running.set(url, reading);
      return reading;
    },
  };
}

/** Not of other types: on many hosts anyone can put up a text. */
const isJson = ({ headers }: OutboundAnswer): boolean =>
  /^application\/(?:json|[\w.!#$&^+-]+\+json)\s*(?:;|$)/i.test(headers['content-type'] ?? '');

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}
