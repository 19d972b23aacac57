/** The answer of an acceptor without threads behind it. */
import type { EngineRequest, EngineResponse } from './engine.js';
import { statusLine } from './exchange.js';
import { isClosedByEngine } from './guard.js';

const UNSERVED = JSON.stringify({
  code: 503,
  error_code: 'service_unavailable',
  msg: 'The server is shutting down, please retry.',
});

/** Answers requests that reach the acceptor while it has no child edge. */
export function rejectUnserved(response: EngineResponse, request: EngineRequest): void {
  const isSilent = isClosedByEngine(request.getHeader('connection'));
  let isAborted = false;
  response.onAborted(() => {
    isAborted = true;
  });
  setImmediate(() => {
    if (isAborted) return;
    response.cork(() => {
      response.writeStatus(statusLine(503)).writeHeader('Retry-After', '1');
      if (isSilent) response.writeHeader('Connection', 'close');
      response.writeHeader('Content-Type', 'application/json').end(UNSERVED, true);
    });
  });
}
