import { createTraceState, isSpanContextValid, type SpanContext } from '@opentelemetry/api';

const MAX_STATE_CHARACTERS = 512;

/**
 * Parses the headers that continue a caller's trace.
 * @returns null unless traceparent is well formed; versions above 00 may have more fields (W3C Trace Context 3.2)
 */
export function parseTraceParent(parent: string | undefined, state: string | undefined): SpanContext | null {
  const match = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(parent ?? '');
  if (match === null) return null;
  const [, version, traceId, spanId, flags, rest] = match;
  if (version === 'ff' || (version === '00' && rest !== undefined)) return null;
  const context: SpanContext = {
    traceId: traceId!,
    spanId: spanId!,
    traceFlags: Number.parseInt(flags!, 16) & 1,
    isRemote: true,
    ...(state === undefined || state.length > MAX_STATE_CHARACTERS ? {} : { traceState: createTraceState(state) }),
  };
  return isSpanContextValid(context) ? context : null;
}
