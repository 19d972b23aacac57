/**
 * Where a piece of work finds the trace it belongs to. No OpenTelemetry here: while tracing is off nobody ever enters a
 * trace, and a span costs one look into an empty store.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export type SpanKind = 'internal' | 'client';
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface Trace {
  /** Runs `work` within a span; a failure marks the span and is thrown on. */
  span<T>(name: string, kind: SpanKind, attributes: SpanAttributes, work: () => Promise<T>): Promise<T>;
}

const traces = new AsyncLocalStorage<Trace>();

/** Runs `work`, and all it starts, within a trace. */
export const runInTrace = <T>(trace: Trace, work: () => T): T => traces.run(trace, work);

/**
 * Runs `work` within a span of the current trace, if there is one.
 * @param name from a small fixed set, e.g. the name of a statement; never with a value in it
 * @param attributes nothing secret and nothing personal: they leave this machine (SEC-71)
 */
export function inSpan<T>(
  name: string,
  kind: SpanKind,
  attributes: SpanAttributes,
  work: () => Promise<T>,
): Promise<T> {
  const trace = traces.getStore();
  return trace === undefined ? work() : trace.span(name, kind, attributes, work);
}
