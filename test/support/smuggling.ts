/** Requests that two readers may take apart differently (RFC 9112 11.2). Each tries to bring a second one through. */

/** An address that no proxy of a test has: only a request hidden from the proxy can carry it to the server. */
export const HIDDEN_ADDRESS = '198.51.100.66';

/** A complete sign-up with a forged client address. */
export function hiddenRequest(email: string): string {
  const body = JSON.stringify({ email, password: 'correct horse battery' });
  return [
    'POST /signup HTTP/1.1',
    'Host: auth.test',
    'Content-Type: application/json',
    `X-Forwarded-For: ${HIDDEN_ADDRESS}`,
    `X-Real-IP: ${HIDDEN_ADDRESS}`,
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

const start = (...headers: string[]): string =>
  ['POST /token?grant_type=refresh_token HTTP/1.1', 'Host: auth.test', ...headers, '', ''].join('\r\n');

/** @returns name of the attack → the bytes on the wire */
export function smugglingAttempts(makeHidden: () => string): Readonly<Record<string, string>> {
  const chunkOf = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
  const measured = (first: string, second: string): string => {
    const hidden = makeHidden();
    return start(first.replace('N', String(hidden.length)), second.replace('N', String(hidden.length))) + hidden;
  };
  return {
    'trailers that are a request': `${start('Transfer-Encoding: chunked')}${chunkOf('{}')}0\r\n${makeHidden()}`,
    'a trailer, then a request in the trailers': `${start('Transfer-Encoding: chunked', 'Trailer: X-T')}${chunkOf('{}')}0\r\nX-T: 1\r\n${makeHidden()}`,
    'Content-Length beside chunks': `${start('Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n${makeHidden()}`,
    'chunks beside Content-Length': `${start('Transfer-Encoding: chunked', 'Content-Length: 5')}0\r\n\r\n${makeHidden()}`,
    'two lengths, small first': measured('Content-Length: 0', 'Content-Length: N'),
    'two lengths, large first': measured('Content-Length: N', 'Content-Length: 0'),
    'an empty length first (CVE-2023-40225)': measured('Content-Length:', 'Content-Length: N'),
    'an empty length alone': measured('Content-Length:', 'X-Nothing: 1'),
    'a length with a sign': measured('Content-Length: +N', 'X-Nothing: 1'),
    'an unknown coding': `${start('Transfer-Encoding: xchunked', 'Content-Length: 5')}0\r\n\r\n${makeHidden()}`,
    'a space before the colon': `${start('Transfer-Encoding : chunked', 'Content-Length: 5')}0\r\n\r\n${makeHidden()}`,
    'a vertical tab before the coding': `${start('Transfer-Encoding: \x0bchunked', 'Content-Length: 5')}0\r\n\r\n${makeHidden()}`,
    'a folded line': `${start('X-A: 1', ' Transfer-Encoding: chunked', 'Content-Length: 5')}0\r\n\r\n${makeHidden()}`,
    'a chunk size with a bare line feed': `${start('Transfer-Encoding: chunked')}2\n{}\r\n0\r\n\r\n${makeHidden()}`,
    'a chunk size beyond 64 bits': `${start('Transfer-Encoding: chunked')}10000000000000002\r\n{}\r\n0\r\n\r\n${makeHidden()}`,
  };
}
