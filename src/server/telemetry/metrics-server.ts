/** Serves the metrics page on a separate listener (SEC-76). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from './log.js';

export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

export interface MetricsServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly contentType: string;
  readonly render: () => Promise<string>;
  readonly log: Pick<Log, 'info' | 'error'>;
}

/** A scraper needs one. Further ones wait in the kernel instead of in memory (REL-26). */
const MAX_CONNECTIONS = 16;

/**
 * Serves the page on `/`.
 * @returns null when the port cannot be opened, which is logged; the server runs without metrics then
 */
export function serveMetrics(options: MetricsServerOptions): Promise<MetricsServer | null> {
  const { log, render } = options;
  let rendering: Promise<string> | undefined;
  const server = createServer(
    { headersTimeout: 2000, requestTimeout: 5000, maxHeaderSize: 16_384 },
    (request, response) => {
      const isPage = request.url === '/' || request.url?.startsWith('/?') === true || request.url === '/metrics';
      if (!isPage) return void response.writeHead(404, { 'Content-Type': 'text/plain' }).end('The metrics are on /\n');
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return void response.writeHead(405, { Allow: 'GET' }).end();
      // Concurrent requests share one page.
      rendering ??= render().finally(() => {
        rendering = undefined;
      });
      rendering.then(
        (page) => response.writeHead(200, { 'Content-Type': options.contentType }).end(page),
        (error: unknown) => {
          log.error({ component: 'metrics', error: String(error) }, 'The metrics could not be gathered');
          response.writeHead(503).end();
        },
      );
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  return new Promise((resolve) => {
    server.once('error', (error) => {
      const fields = { component: 'metrics', host: options.host, port: options.port, error: error.message };
      log.error(fields, 'No metrics are served: set OTEL_EXPORTER_PROMETHEUS_HOST and OTEL_EXPORTER_PROMETHEUS_PORT');
      resolve(null);
    });
    server.listen(options.port, options.host, () => {
      const { port } = server.address() as AddressInfo;
      log.info({ component: 'metrics', port }, 'Metrics are served');
      resolve({
        port,
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            server.closeAllConnections();
          }),
      });
    });
  });
}
