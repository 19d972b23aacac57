/** Calls a hook over HTTP: signed, with a few tries within one time limit, over kept connections. */

import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { HookConfig } from '../config/settings.js';
import { callOut, type OutboundAnswer, OutboundError } from '../outbound/outbound.js';
import { pinAddresses, type ResolveName } from '../outbound/public-address.js';
import { failed } from './failure.js';
import { prepareSigning } from './signature.js';

export const MAX_HOOK_ANSWER_BYTES = 204_800;
const TRIES = 3;
const CONNECT_SECONDS = 2;
const RETRY_SECONDS = 2;

export interface HttpHook {
  /**
   * @param id the same for all tries of a call: the receiver's idempotency key
   * @param onTry called before each try
   * @throws HookFailure without an answer that can be read
   */
  call(id: string, body: string, onTry: (number: number) => void): Promise<OutboundAnswer>;
  close(): void;
}

type HttpSettings = Pick<
  HookConfig,
  'timeoutSeconds' | 'maxConcurrency' | 'headers' | 'clientCert' | 'clientKey' | 'ca' | 'secrets'
>;

/** Sees the calls of a hook, for `latchkey check hook`. */
export interface HookTrace {
  request(line: string, headers: Readonly<Record<string, string>>, body: string): void;
  answer(answer: OutboundAnswer): void;
}

/** @param resolve for tests */
export function openHttpHook(url: string, settings: HttpSettings, trace?: HookTrace, resolve?: ResolveName): HttpHook {
  const { timeoutSeconds, headers, clientCert, clientKey, ca, maxConcurrency } = settings;
  const agentOptions = { keepAlive: true, maxFreeSockets: maxConcurrency };
  const agent = url.startsWith('https:')
    ? new HttpsAgent({
        ...agentOptions,
        ...(clientCert !== '' && { cert: clientCert, key: clientKey }),
        ...(ca !== '' && { ca }),
      })
    : new HttpAgent(agentOptions);
  const signed = prepareSigning(settings.secrets ?? []);
  const fixedHeaders = {
    ...Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values.join(', ')])),
    'Content-Type': 'application/json',
    Accept: 'application/json',
  };

  async function attempt(id: string, body: string, remainingMs: number, lookup: LookupFunction) {
    const once = () => {
      const headers = { ...fixedHeaders, ...signed(id, Math.floor(Date.now() / 1000), body) };
      trace?.request(`POST ${url}`, headers, body);
      return callOut({
        url,
        method: 'POST',
        headers,
        body,
        totalSeconds: remainingMs / 1000,
        connectSeconds: Math.min(CONNECT_SECONDS, remainingMs / 1000),
        maxAnswerBytes: MAX_HOOK_ANSWER_BYTES,
        agent,
        plainHost: 'host.docker.internal',
        lookup,
      });
    };
    try {
      return await once();
    } catch (error) {
      // A kept connection that the receiver had closed: not a fault of this call.
      if (error instanceof OutboundError && error.wasReused && error.fault === 'cut' && !error.answer) return once();
      throw error;
    }
  }

  return {
    async call(id, body, onTry) {
      const deadline = performance.now() + timeoutSeconds * 1000;
      // A name that changes its address between two tries must not bring the second one elsewhere.
      const lookup = pinAddresses(resolve);
      for (let number = 1; ; number++) {
        onTry(number);
        const remainingMs = () => deadline - performance.now();
        let waitMs: number;
        try {
          const answer = await attempt(id, body, remainingMs(), lookup);
          trace?.answer(answer);
          const wait = retryAfterMs(answer);
          if (wait === null || number === TRIES || wait >= remainingMs()) return answer;
          waitMs = wait;
        } catch (error) {
          if (!(error instanceof OutboundError)) throw error;
          if (error.answer !== undefined) return fromPartialAnswer(error, error.answer, timeoutSeconds);
          const reason = describe(error);
          if (error.fault === 'timeout' || remainingMs() <= 0) throw timedOut(timeoutSeconds, reason);
          if (number === TRIES) throw failed('unreachable', 'hookUnreachable', reason);
          // Jitter, so that many callers do not come back at the same moment.
          waitMs = RETRY_SECONDS * 1000 * (0.8 + Math.random() / 5);
          if (waitMs >= remainingMs()) throw timedOut(timeoutSeconds, reason);
        }
        await pause(waitMs);
      }
    },
    close: () => agent.destroy(),
  };
}

const timedOut = (seconds: number, reason: string) =>
  failed('timeout', 'hookTimeout', reason, { seconds: seconds.toFixed(6) });

/** The status of an answer without a usable body still counts, unless it means success. */
function fromPartialAnswer({ fault }: OutboundError, answer: OutboundAnswer, timeoutSeconds: number): OutboundAnswer {
  const { status, text } = answer;
  if (status !== 200 && status !== 202) return answer;
  if (fault === 'tooLarge') {
    const reason = `the answer is larger than ${MAX_HOOK_ANSWER_BYTES} bytes`;
    throw failed('bad_answer', 'hookTooLarge', reason, { limit: MAX_HOOK_ANSWER_BYTES }, { status, text });
  }
  const reason = fault === 'timeout' ? 'the body did not arrive in time' : 'the body stopped before its end';
  throw failed('timeout', 'hookTimeout', reason, { seconds: timeoutSeconds.toFixed(6) }, { status, text });
}

/** @returns the pause before the next try of a receiver that is busy; null: no further try */
function retryAfterMs({ status, headers }: OutboundAnswer): number | null {
  const header = headers['retry-after'];
  if ((status !== 429 && status !== 503) || header === undefined) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? 0 : Math.max(0, at - Date.now());
}

function describe(error: OutboundError): string {
  const code = (error.cause as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? `${error.message} (${code})` : error.message;
}
