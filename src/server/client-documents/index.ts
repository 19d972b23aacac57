/** Reads client metadata documents (draft-ietf-oauth-client-id-metadata-document-00, 4 and 6.5). */
import { callOut, type OutboundAnswer, OutboundError } from '../outbound/outbound.js';
import type { TestInternet } from '../outbound/public-address.js';
import type { Log } from '../telemetry/log.js';
import type { ClientDocuments, DocumentFault } from './contract.js';
import { freshSeconds } from './freshness.js';

export interface ClientDocumentsOptions {
  readonly log: Pick<Log, 'info'>;
  readonly internet?: TestInternet | undefined;
}

interface Read {
  readonly value: unknown;
  readonly headers: OutboundAnswer['headers'];
}

interface Refused {
  readonly fault: DocumentFault;
}

const TOTAL_SECONDS = 5;
const MAX_BYTES = 65_536;
/** Anyone can cause a call. More at the same time are refused. */
const MAX_CALLS = 32;

export function openClientDocuments({ log, internet }: ClientDocumentsOptions): ClientDocuments {
  const running = new Map<string, Promise<Read | Refused>>();

  async function fetchJson(url: string, privateHosts: readonly string[]): Promise<Read | Refused> {
    let answer: OutboundAnswer;
    try {
      answer = await callOut({
        url,
        headers: { Accept: 'application/json' },
        totalSeconds: TOTAL_SECONDS,
        maxAnswerBytes: MAX_BYTES,
        followsRedirects: false,
        // Those of OUTBOUND_PRIVATE_HOSTS are for addresses that administrators enter. Anyone can name most of these.
        privateHosts,
        testInternet: internet,
      });
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const { fault: reason } = error;
      log.info({ component: 'oauth', host: new URL(url).host, reason }, 'A document of a client could not be read');
      return { fault: 'unreadable' };
    }
    if (answer.status !== 200) return { fault: 'unreadable' };
    const value = isJson(answer) ? parseJson(answer.text) : undefined;
    return value === undefined ? { fault: 'noJson' } : { value, headers: answer.headers };
  }

  function shareFetch(url: string, privateHosts: readonly string[] = []): Promise<Read | Refused> {
    const name = [...privateHosts, url].join(' ');
    const known = running.get(name);
    if (known !== undefined) return known;
    if (running.size >= MAX_CALLS) return Promise.resolve({ fault: 'busy' });
    const reading = fetchJson(url, privateHosts).finally(() => running.delete(name));
    running.set(name, reading);
    return reading;
  }

  return {
    async read(url, privateHosts) {
      const answer = await shareFetch(url, privateHosts);
      if ('fault' in answer) return answer;
      const { value, headers } = answer;
      return isObject(value)
        ? { members: value, freshSeconds: freshSeconds(headers, Date.now()) }
        : { fault: 'noJson' };
    },
    async readList(url) {
      const answer = await shareFetch(url);
      if ('fault' in answer) return answer;
      return areTexts(answer.value) ? { texts: answer.value } : { fault: 'noJson' };
    },
  };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const areTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** Not of other types: on many hosts anyone can put up a text. */
const isJson = ({ headers }: OutboundAnswer): boolean =>
  /^application\/(?:json|[\w.!#$&^+-]+\+json)\s*(?:;|$)/i.test(headers['content-type'] ?? '');

/** @returns undefined for what is no JSON */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
