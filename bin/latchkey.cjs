#!/usr/bin/env node
'use strict';
// Two things only work when they are set before the first module loads, which is why this launcher is CommonJS:
// libuv reads UV_THREADPOOL_SIZE once, when its pool first starts, and the HTTP engine reads its header cap when its
// binary is loaded. Setting either from an ES module has no effect.
const crypto = require('node:crypto');
const os = require('node:os');

// The newest part of Node in use (src/hmac-sha256.ts); without it the first import would end in a SyntaxError.
if (crypto.hash === undefined) {
  process.stderr.write(`latchkey: needs Node 20.12 or newer, or Node 22; this is Node ${process.versions.node}.\n`);
  process.exit(2);
}

const hashThreads =
  Number(process.env.AUTH_CRYPTO_THREADS || process.env.GOTRUE_CRYPTO_THREADS) || os.availableParallelism();
// The portable argon2 engine hashes in libuv's pool: one slot per hash thread, and four for files, DNS and WebCrypto.
process.env.UV_THREADPOOL_SIZE ||= String(hashThreads + 4);
// The engine's own default is 4 kB. 16 kB are served (SEC-10); what is longer, up to this, is refused in JSON.
process.env.UWS_HTTP_MAX_HEADERS_SIZE ||= '32768';

import('../dist/src/server/main.js').catch((error) => {
  if (error && error.code === 'ERR_MODULE_NOT_FOUND' && String(error.message).includes('dist/src/server/main.js')) {
    process.stderr.write('latchkey: not built yet. Run: npm run build\n');
    process.exit(2);
  }
  throw error;
});
