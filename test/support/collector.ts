/** An OpenTelemetry collector: OTLP over HTTP with JSON, as far as tests need it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { keepForSearch } from './secret-search.js';
import type { Test } from './tap.js';
import { until } from './until.js';

export interface CollectedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  /** SPAN_KIND_… by number: 1 internal, 2 server, 3 client. */
  readonly kind: number;
  /** 2: error. */
  readonly status: number;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface CollectedMetric {
  readonly name: string;
  readonly unit: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read the points.
  readonly body: any;
}

export interface Collector {
  readonly url: string;
  readonly spans: CollectedSpan[];
  /** The last value of each metric. */
  readonly metrics: Map<string, CollectedMetric>;
  readonly resources: Record<string, unknown>[];
  readonly headers: Record<string, string | string[] | undefined>[];
  /** All bodies received. */
  readonly texts: string[];
  /** @throws after 10 s */
  until(isThere: () => boolean): Promise<void>;
}

interface Pair {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

const toObject = (pairs: readonly Pair[] = []): Record<string, unknown> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));

export async function openCollector(t: Test): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const metrics = new Map<string, CollectedMetric>();
  const resources: Record<string, unknown>[] = [];
  const headers: Collector['headers'] = [];
  const texts: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      texts.push(text);
      keepForSearch('traces', text);
      headers.push(request.headers);
      const body = JSON.parse(text);
      if (request.url === '/v1/traces') readSpans(body);
      else if (request.url === '/v1/metrics') readMetrics(body);
      response.writeHead(request.url?.startsWith('/v1/') ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
    });
  });

  // biome-ignore lint/suspicious/noExplicitAny: the format is the collector's, and only these members matter.
  function readSpans(body: any): void {
    for (const { resource, scopeSpans } of body.resourceSpans) {
      resources.push(toObject(resource.attributes));
      for (const span of scopeSpans.flatMap((scope: { spans: object[] }) => scope.spans)) {
        const { name, traceId, spanId, parentSpanId, kind, status, attributes } = span;
        spans.push({
          name,
          traceId,
          spanId,
          parentSpanId,
          kind,
          status: status?.code ?? 0,
          attributes: toObject(attributes),
        });
      }
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above.
  function readMetrics(body: any): void {
    for (const { resource, scopeMetrics } of body.resourceMetrics) {
      resources.push(toObject(resource.attributes));
      for (const metric of scopeMetrics.flatMap((scope: { metrics: object[] }) => scope.metrics)) {
        metrics.set(metric.name, { name: metric.name, unit: metric.unit, body: metric });
      }
    }
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    metrics,
    resources,
    headers,
    texts,
    until,
  };
}
