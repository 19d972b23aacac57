/** The application that is tested: one page, which signs in by a code. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { LATCHKEY_URL = 'http://localhost:8081', PORT = '3100' } = process.env;
const page = readFileSync(new URL('app.html', import.meta.url), 'utf8').replace('LATCHKEY_URL', LATCHKEY_URL);

const server = createServer((request, response) => {
  if (request.url !== '/') return response.writeHead(404).end();
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(page);
});
server.listen(Number(PORT), 'localhost', () => console.log(`Open http://localhost:${PORT}`));
