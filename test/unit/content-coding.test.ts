import { takesCoding } from '../../src/server/http/content-coding.js';
import { t } from '../support/tap.js';

t.test('what a client takes', async (t) => {
  for (const accepted of ['br', 'gzip, deflate, br', 'gzip,br;q=0.5', 'BR', ' br ; q=0.001', 'gzip;q=0, br']) {
    t.ok(takesCoding(accepted, 'br'), accepted);
  }
});

t.test('what it does not take', async (t) => {
  for (const accepted of [
    undefined,
    '',
    'gzip',
    '*',
    'brotli',
    'xbr',
    'br;q=0',
    'gzip, br; q=0.000',
    'br;q=0.0, gzip',
  ]) {
    t.notOk(takesCoding(accepted, 'br'), String(accepted));
  }
});
