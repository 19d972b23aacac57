import { ConfigError, loadConfig } from '../../src/server/config/load.js';
import { assertProof, hasProof, proofRecordOf } from '../../src/server/domains/domain-proof.js';
import { openTxtLookup } from '../../src/server/domains/txt-lookup.js';
import { ApiError } from '../../src/server/errors.js';
import { openDns, SERVFAIL } from '../support/dns-server.js';
import { testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

const proof = '0123456789abcdef0123456789abcdef';

t.test('the record of a domain proves it', async (t) => {
  const value = `latchkey-domain=${proof}`;
  const dns = await openDns(t, {
    '_latchkey.good.example': { txt: ['other=1', ` ${value} `] },
    '_latchkey.long.example': { txt: ['x'.repeat(600), value] },
    // The value is in two strings of the record.
    '_latchkey.split.example': { txt: [value.padStart(280)] },
    '_latchkey.wrong.example': { txt: [`latchkey-domain=${proof.replace('0', '1')}`, 'y'.repeat(300)] },
    '_latchkey.part.example': { txt: [`${value}0`, value.slice(0, -1)] },
    '_latchkey.empty.example': {},
    '_latchkey.broken.example': { code: SERVFAIL },
    '_latchkey.silent.example': { silent: true },
  });
  const lookup = openTxtLookup({ dnsServers: [dns] }, 1000);
  const recordOf = (name: string) => proofRecordOf(`${name}.example`, proof);
  t.same(recordOf('good'), { name: '_latchkey.good.example', type: 'TXT', value });
  const expected = { good: true, long: true, split: true, wrong: false, part: false, empty: false, unknown: false };
  for (const [name, is] of Object.entries(expected)) t.equal(await hasProof(lookup, recordOf(name)), is, name);
  for (const name of ['broken', 'silent']) t.equal(await hasProof(lookup, recordOf(name)), null, `${name}: no answer`);

  const refusalOf = (name: string) =>
    assertProof(lookup, recordOf(name)).then(
      () => null,
      (error: ApiError) => error,
    );
  t.equal(await refusalOf('good'), null);
  const wrong = await refusalOf('wrong');
  t.ok(wrong instanceof ApiError);
  t.match(wrong, {
    status: 422,
    errorCode: 'domain_record_missing',
    message: `No TXT record _latchkey.wrong.example has this value; put it up with the value ${value}, and try again`,
    extra: { record: recordOf('wrong'), found: [/^latchkey-domain=1123/, /^y{200}$/] },
  });
  t.match(await refusalOf('unknown'), {
    message: /^There is no TXT record _latchkey\.unknown\.example;/,
    extra: { found: [] },
  });
  t.match(await refusalOf('broken'), { message: /cannot be looked up: the resolver could not find out \(SERVFAIL\);/ });
  t.match(await refusalOf('silent'), { message: /cannot be looked up: no resolver answered in time;/ });
});

t.test('resolvers are addresses, with or without a port', (t) => {
  const faultOf = (text: string): string => {
    try {
      loadConfig({ environment: testEnvironment('postgres://localhost/db', { DNS_SERVERS: text }), file: null });
      return '';
    } catch (error) {
      return error instanceof ConfigError
        ? error.faults.map(({ variable, problem }) => `${variable} ${problem}`).join()
        : String(error);
    }
  };
  const good = ['', '10.0.0.53', '10.0.0.53:5353, fd00::53', '[fd00::53]:53'];
  for (const text of good) {
    t.equal(faultOf(text), '', text);
    const servers = text
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean);
    t.doesNotThrow(() => openTxtLookup({ dnsServers: servers }));
  }
  for (const text of [
    'dns.example.com',
    '10.0.0.53:0',
    '10.0.0.53:70000',
    '[10.0.0.53]:53',
    'fd00::53]:53',
    '10.0.0',
  ]) {
    t.match(faultOf(text), /^AUTH_DNS_SERVERS must have only IP addresses/, text);
  }
  t.end();
});
