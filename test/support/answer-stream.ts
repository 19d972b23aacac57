/** Parses a stream of responses as strictly as RFC 9112 permits; any deviation is an error. */
export interface StreamAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export type StreamReading =
  | { readonly state: 'whole'; readonly answers: readonly StreamAnswer[] }
  /** Valid so far, but incomplete. */
  | { readonly state: 'cut' }
  | { readonly state: 'wrong'; readonly why: string };

const HEADER_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+: ?[\x20-\x7e\t]*$/;

/**
 * @param received latin1
 * @param isClosed the server has closed the connection
 * @param mayOmitBodies one of the requests may have been HEAD: responses may announce a body and have none
 */
export function readAnswerStream(received: string, isClosed: boolean, mayOmitBodies: boolean): StreamReading {
  const answers: StreamAnswer[] = [];
  let rest = received;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return 'HTTP/1.1 '.startsWith(rest.slice(0, 9)) ? { state: 'cut' } : wrong('no status line', rest);
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 ([1-5]\d\d) [A-Za-z][A-Za-z' -]*$/.exec(statusLine)?.[1]);
    if (Number.isNaN(status)) return wrong('no status line', statusLine);
    const odd = lines.find((line) => !HEADER_LINE.test(line));
    if (odd !== undefined) return wrong('not a header', odd);
    const headers = new Map(lines.map((line) => [line.split(':', 1)[0]!.toLowerCase(), line.replace(/^[^:]*: ?/, '')]));
    if (headers.size !== lines.length) return wrong('a header twice', lines.join(', '));
    rest = rest.slice(end + 4);
    const length = headers.get('content-length');
    if (length !== undefined && !/^\d{1,7}$/.test(length)) return wrong('no length', length);
    let body = '';
    if (length !== undefined && !(mayOmitBodies && (rest === '' || rest.startsWith('HTTP/1.1 ')))) {
      if (rest.length < Number(length)) return { state: 'cut' };
      body = rest.slice(0, Number(length));
      rest = rest.slice(body.length);
    } else if (length === undefined && status >= 200 && status !== 204 && headers.get('connection') === 'close') {
      if (!isClosed) return { state: 'cut' };
      body = rest;
      rest = '';
    }
    answers.push({ status, headers, body });
  }
  return { state: 'whole', answers };
}

const wrong = (what: string, where: string): StreamReading => ({
  state: 'wrong',
  why: `${what}: ${JSON.stringify(where.slice(0, 200))}`,
});
