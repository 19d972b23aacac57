/** Entry of a child process that migrates every URL it is sent and sends back how many files it applied. */
import { migrate } from '../../src/db/migrate.js';

process.on('message', (url: string) => {
  migrate({ url, prefix: 'auth_' }).then(
    (result) => process.send?.(result.applied.length),
    (error: Error) => process.send?.(error.message),
  );
});
process.send?.('ready');
