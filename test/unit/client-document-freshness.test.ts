import { freshSeconds } from '../../src/server/client-documents/freshness.js';
import { t } from '../support/tap.js';

const NOW = Date.parse('2030-01-01T00:00:00Z');
const date = new Date(NOW).toUTCString();

t.test('how long a metadata document may be used: between five minutes and a day', async (t) => {
  for (const [name, headers, seconds] of [
    ['nothing is said', {}, 300],
    ['an hour', { 'cache-control': 'public, max-age=3600' }, 3600],
    ['an hour, in quotes', { 'cache-control': 'Max-Age="3600"' }, 3600],
    ['an hour, of which a part has passed', { 'cache-control': 'max-age=3600', age: '600' }, 3000],
    ['a second', { 'cache-control': 'max-age=1' }, 300],
    ['a year', { 'cache-control': 'max-age=31536000' }, 86_400],
    ['a number that is none', { 'cache-control': 'max-age=forever' }, 300],
    ['an age that is none', { 'cache-control': 'max-age=3600', age: 'old' }, 300],
    ['no-store', { 'cache-control': 'no-store, max-age=3600' }, 300],
    ['no-cache', { 'cache-control': 'max-age=3600, no-cache="set-cookie"' }, 300],
    ['for shared caches', { 'cache-control': 's-maxage=9000, max-age=3600' }, 3600],
    ['Expires', { expires: new Date(NOW + 7_200_000).toUTCString(), date }, 7200],
    [
      'Expires by its own clock',
      { expires: new Date(NOW + 7_200_000).toUTCString(), date: new Date(NOW + 3_600_000).toUTCString() },
      3600,
    ],
    ['Expires without Date', { expires: new Date(NOW + 7_200_000).toUTCString() }, 7200],
    ['Expires: 0', { expires: '0', date }, 300],
    [
      'max-age before Expires',
      { 'cache-control': 'max-age=600', expires: new Date(NOW + 7_200_000).toUTCString(), date },
      600,
    ],
  ] as readonly (readonly [string, Record<string, string>, number])[]) {
    t.equal(freshSeconds(headers, NOW), seconds, name);
  }
});
