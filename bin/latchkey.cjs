#!/usr/bin/env node
'use strict';
// Two variables take effect only before the first module loads, which is why this launcher is CommonJS: libuv reads
// UV_THREADPOOL_SIZE when its pool starts, and the HTTP engine reads its header limit when its binary is loaded.
const os = require('node:os');

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 12)) {
  process.stderr.write(`latchkey: needs Node 20.12 or newer; this is Node ${process.versions.node}.\n`);
  process.exit(2);
}

const hashThreads =
  Number(process.env.AUTH_CRYPTO_THREADS || process.env.GOTRUE_CRYPTO_THREADS) || os.availableParallelism();
// The portable argon2 engine hashes in libuv's pool: one slot per hash thread, and four for files, DNS and WebCrypto.
process.env.UV_THREADPOOL_SIZE ||= String(hashThreads + 4);
// The engine's own default is 4 kB. 16 kB are accepted (SEC-10); longer headers, up to this size, get a JSON error.
process.env.UWS_HTTP_MAX_HEADERS_SIZE ||= '32768';

import('../dist/src/server/main.js').catch((error) => {
  if (error && error.code === 'ERR_MODULE_NOT_FOUND' && String(error.message).includes('dist/src/server/main.js')) {
    process.stderr.write('latchkey: not built yet. Run: npm run build\n');
    process.exit(2);
  }
  throw error;
});
