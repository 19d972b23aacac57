/** One time budget for all outgoing calls of a request. */
import { callOut, type OutboundAnswer, OutboundError, type OutboundRequest } from '../outbound/outbound.js';
import { type CallPurpose, type Watch, watchCall } from './watch.js';

/** Longest that the calls of one sign-in may take together (REL-13). */
export const MAX_SECONDS = 10;
/** Share of the request's time limit; the rest is for the redirect with an error. */
const SHARE_OF_REQUEST = 0.8;

/** Calls that share one deadline. */
export interface Calls {
  /** Of an operator who follows the sign-in. */
  readonly watch: Watch | undefined;
  /** @throws OutboundError */
  call(request: Omit<OutboundRequest, 'totalSeconds' | 'privateHosts'>, purpose: CallPurpose): Promise<OutboundAnswer>;
  /**
   * Waits for a shared operation, which continues without this caller.
   * @throws OutboundError timeout
   */
  wait<T>(promise: Promise<T>): Promise<T>;
}

/** @param apiMaxRequestSeconds 0: a request may take any time */
export function budgetOf(config: { internalHttpTimeoutSeconds: number; apiMaxRequestSeconds: number }): number {
  const { internalHttpTimeoutSeconds, apiMaxRequestSeconds } = config;
  const request = apiMaxRequestSeconds === 0 ? Infinity : apiMaxRequestSeconds * SHARE_OF_REQUEST;
  return Math.min(MAX_SECONDS, internalHttpTimeoutSeconds, request);
}

/** Starts the clock. @param privateHosts see {@link OutboundRequest} */
export function openCalls(budgetSeconds: number, privateHosts?: readonly string[], watch?: Watch): Calls {
  const deadline = performance.now() + budgetSeconds * 1000;
  const left = (): number => {
    const seconds = (deadline - performance.now()) / 1000;
    if (seconds <= 0) throw new OutboundError('timeout', false);
    return seconds;
  };
  return {
    watch,
    call: async (request, purpose) =>
      watchCall(watch, purpose, request, () => callOut({ ...request, privateHosts, totalSeconds: left() })),
    async wait(promise) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new OutboundError('timeout', true)), left() * 1000);
      });
      try {
        return await Promise.race([promise, late]);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
