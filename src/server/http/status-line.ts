import { STATUS_CODES } from 'node:http';

const statusLines = new Map<number, string>();

/** Status and reason phrase, as the engine writes them. */
export function statusLine(status: number): string {
  let line = statusLines.get(status);
  if (line === undefined) {
    line = `${status} ${STATUS_CODES[status] ?? 'Status'}`;
    statusLines.set(status, line);
  }
  return line;
}
