/**
 * Spans of requests and of what they wait for, sent over OTLP. Loaded only while tracing is on. Made by hand, since
 * automatic instrumentation cannot see the engine (design.md 6). Attributes never hold a query, a header, a body or a
 * value bound to a statement (SEC-71).
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
import type { AccessEntry, EdgeObserver, RequestHead, RequestWatch } from '../http/options.js';
import type { Log } from './log.js';
import {
  type CollectorSettings,
  collectorOptions,
  listenToSdk,
  makeResource,
  speaksProtocol,
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
  /** Begins a trace of its own, for work that no request waits for. */
  root<T>(name: string, attributes: SpanAttributes, work: () => Promise<T>): Promise<T>;
  /** Sends what is left, for at most 3 s. */
  close(): Promise<void>;
}

const FLUSH_SECONDS = 3;
/** Spans that wait for a collector; more are dropped (REL-26). */
const MOST_WAITING_SPANS = 2048;
const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']);

/** @returns null when the protocol asked for is not spoken, which has been logged */
export function openTracing(
  settings: TracingSettings,
  version: string,
  log: Pick<Log, 'warn' | 'info'>,
): Tracing | null {
  if (!speaksProtocol(settings, log)) return null;
  listenToSdk(settings, log);
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
        maxQueueSize: MOST_WAITING_SPANS,
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
        // Lost or refused before it had arrived whole: known only now.
        const startTime = Date.now() - entry.durationMs;
        const span = tracer.startSpan(methodOf(entry.method), { kind: SpanKind.SERVER, startTime }, ROOT_CONTEXT);
        new RequestTrace(tracer, span, ROOT_CONTEXT).end(entry);
      },
    },
    root: (name, attributes, work) => new ChildTrace(tracer, ROOT_CONTEXT).span(name, 'internal', attributes, work),
    close: () => withinSeconds(FLUSH_SECONDS, provider.shutdown()),
  };
}

/** Where spans hang that are begun now. */
class ChildTrace implements Trace {
  constructor(
    protected readonly tracer: Tracer,
    protected readonly context: Context,
    /** What outlives its request, such as the pump of the outbox, does not write into its trace. */
    protected readonly isOver: () => boolean = () => false,
  ) {}

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
      // The name and code alone: messages of errors may quote what somebody sent.
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

  constructor(
    tracer: Tracer,
    readonly span: Span,
    context: Context,
  ) {
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

/** On the span, too: some stores show spans without their resource. */
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
