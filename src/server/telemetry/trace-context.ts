/**
 * The current trace of asynchronous work. It does not import OpenTelemetry: with tracing off there is no trace, and a
 * span costs one look-up in an empty store.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export type SpanKind = 'internal' | 'client';
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface Trace {
  /** Runs `work` within a span. An error marks the span and is rethrown. */
  span<T>(name: string, kind: SpanKind, attributes: SpanAttributes, work: () => Promise<T>): Promise<T>;
}

const traces = new AsyncLocalStorage<Trace>();

/** Runs `work`, and everything it starts, within a trace. */
export const runInTrace = <T>(trace: Trace, work: () => T): T => traces.run(trace, work);

/**
 * Runs `work` within a span of the current trace, if there is one.
 * @param name from a small fixed set, e.g. the name of a statement, without values
 * @param attributes nothing secret or personal, since they are exported (SEC-71)
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
