/** Entry of a process that starts the built-in Postgres on the directory given, prints its URL and waits. */
import { startEmbeddedPostgres } from '../../src/dev/embedded-postgres.js';

const log = { debug: () => undefined, info: () => undefined };
const server = await startEmbeddedPostgres({ directory: process.argv[2] ?? '', log, isThrowaway: true });
process.stdout.write(`${server.url}\n`);
// The database does not keep its process alive; standard input does.
process.stdin.resume();
