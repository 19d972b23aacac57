/**
 * Spans of requests and of what they wait for, exported over OTLP. Loaded only with tracing enabled (docs/decisions.md,
 * Tracing). Attributes never contain a query, a header, a body or a parameter of a statement (SEC-71).
 */
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { AccessEntry, EdgeObserver, RequestHead, RequestWatch } from './edge.js';
import type { Log } from './log.js';
import {
  type CollectorSettings,
  collectorOptions,
  forwardSdkDiagnostics,
  makeResource,
  supportsProtocol,
  withinSeconds,
} from './otlp.js';
import { runInTrace, type SpanAttributes, type Trace } from './trace-context.js';
import { parseTraceParent } from './trace-parent.js';

export interface TracingSettings extends CollectorSettings {
  readonly otelExporterOtlpTracesEndpoint: string;
  readonly otelTracesSampler: string;
  readonly otelTracesSamplerArg: number;
  readonly otelBspScheduleDelay: number;
}

export interface Tracing {
  readonly observer: Required<EdgeObserver>;
  /** Starts a new trace for work outside of requests. */
  root<T>(name: string, attributes: SpanAttributes, work: () => Promise<T>): Promise<T>;
  /** Exports the remaining spans, for at most 3 s. */
  close(): Promise<void>;
}

const FLUSH_SECONDS = 3;
/** Spans waiting for the collector; further ones are dropped (REL-26). */
const MAX_WAITING_SPANS = 2048;
const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']);

/** @returns null when the protocol is not supported, which is logged */
export function openTracing(
  settings: TracingSettings,
  version: string,
  log: Pick<Log, 'warn' | 'info'>,
): Tracing | null {
  if (!supportsProtocol(settings, log)) return null;
  forwardSdkDiagnostics(settings, log);
  const exporter = new OTLPTraceExporter(
    collectorOptions(settings, 'v1/traces', settings.otelExporterOtlpTracesEndpoint),
  );
  const provider = new TracerProvider({
    resource: makeResource(settings, version),
    sampler: makeSampler(settings.otelTracesSampler, settings.otelTracesSamplerArg),
    spanProcessors: [
      stampVersion(version),
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: MAX_WAITING_SPANS,
        scheduledDelayMillis: settings.otelBspScheduleDelay,
      }),
    ],
  });
  const tracer = provider.getTracer('latchkey', version);

  function begin(head: RequestHead): RequestTrace {
    const parent = parseTraceParent(head.header('traceparent'), head.header('tracestate'));
    const context = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    return new RequestTrace(
      tracer,
      tracer.startSpan(methodOf(head.method), { kind: SpanKind.SERVER }, context),
      context,
    );
  }

  return {
    observer: {
      begin,
      end(entry, watch) {
        if (watch instanceof RequestTrace) return watch.end(entry);
        // The request was lost or rejected before it was complete.
        const startTime = Date.now() - entry.durationMs;
        const span = tracer.startSpan(methodOf(entry.method), { kind: SpanKind.SERVER, startTime }, ROOT_CONTEXT);
        new RequestTrace(tracer, span, ROOT_CONTEXT).end(entry);
      },
    },
    root: (name, attributes, work) => new ChildTrace(tracer, ROOT_CONTEXT).span(name, 'internal', attributes, work),
    close: () => withinSeconds(FLUSH_SECONDS, provider.shutdown()),
  };
}

/** Parent of new spans. */
class ChildTrace implements Trace {
  protected readonly tracer: Tracer;
  protected readonly context: Context;
  /** Work that outlives its request adds no spans to its trace. */
  protected readonly isOver: () => boolean;

  constructor(tracer: Tracer, context: Context, isOver: () => boolean = () => false) {
    this.tracer = tracer;
    this.context = context;
    this.isOver = isOver;
  }

  async span<T>(
    name: string,
    kind: 'internal' | 'client',
    attributes: SpanAttributes,
    work: () => Promise<T>,
  ): Promise<T> {
    if (this.isOver()) return work();
    const options = { kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes };
    const span = this.tracer.startSpan(name, options, this.context);
    try {
      return await runInTrace(new ChildTrace(this.tracer, trace.setSpan(this.context, span), this.isOver), work);
    } catch (error) {
      // Only name and code, since error messages may quote user input.
      span.setAttribute('error.type', nameOfError(error));
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }
}

class RequestTrace implements RequestWatch {
  #isOver = false;
  readonly #child: ChildTrace;
  readonly span: Span;

  constructor(tracer: Tracer, span: Span, context: Context) {
    this.span = span;
    this.#child = new ChildTrace(tracer, trace.setSpan(context, span), () => this.#isOver);
  }

  run(serve: () => void): void {
    runInTrace(this.#child, serve);
  }

  end(entry: AccessEntry): void {
    const { span } = this;
    const method = methodOf(entry.method);
    span.setAttributes({
      'http.method': method,
      'http.status_code': entry.status,
      'latchkey.request_id': entry.requestId,
      ...(entry.errorCode === undefined ? {} : { 'latchkey.error_code': entry.errorCode }),
    });
    if (entry.route !== null) {
      span.updateName(`${method} ${entry.route}`);
      span.setAttribute('http.route', entry.route);
    }
    for (const [key, value] of Object.entries(entry.params)) span.setAttribute(`http.route.params.${key}`, value);
    if (entry.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
    this.#isOver = true;
  }
}

/** Also on each span, since some backends show spans without their resource. */
const stampVersion = (version: string): SpanProcessor => ({
  onStart: (span) => void span.setAttribute('auth.version', version),
  onEnd: () => undefined,
  forceFlush: async () => undefined,
  shutdown: async () => undefined,
});

const methodOf = (method: string): string => (METHODS.has(method) ? method : 'OTHER');

function nameOfError(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'error';
}

function makeSampler(name: string, ratio: number): Sampler {
  const root = name.endsWith('always_off')
    ? new AlwaysOffSampler()
    : name.endsWith('traceidratio')
      ? new TraceIdRatioBasedSampler(ratio)
      : new AlwaysOnSampler();
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}
