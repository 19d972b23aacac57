import { deflateRawSync } from 'node:zlib';
import { openFakeIdp } from '../support/fake-saml-idp.js';
import { writeLogoutRequest } from '../support/fake-saml-logout.js';
import { sameInFull } from '../support/long-form.js';
import { pickRows } from '../support/rows.js';
import { expectedOf, openSamlFlow } from '../support/saml-flow.js';
import { startSendingProcess } from '../support/sending-process.js';
import { ownProcess, t } from '../support/tap.js';
import { assertCheap, ofServerThread } from '../support/worst-case.js';

ownProcess('measures the processor time of its first thread');

/** XML is read in a thread of its own; a server thread decodes the form, and passes it on. */
const LIMIT_MS = 10;
/** Bytes of a form. */
const MOST_RESPONSE = 262_144;
const MOST_LOGOUT = 65_536;
const SENTENCE = /^[A-Z][^<>{}]{5,100}$/;

const idp = openFakeIdp();
const fill = (unit: string, size: number): string => unit.repeat(Math.floor(size / unit.length));
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** What makes readers of XML work, at a place where any element may be. */
const hostile = (size: number): Readonly<Record<string, string>> => ({
  deep: fill('<a>', size),
  'deep and closed': `${'<a>'.repeat(size / 8)}${'</a>'.repeat(size / 8)}`,
  'many elements': fill('<a/>', size),
  'many attributes': `<a ${fill('b="" ', size)}/>`,
  'one long attribute': `<a b="${fill('&amp;', size)}"/>`,
  'many ids': fill('<a ID="1"/>', size),
  'many namespaces': fill('<a xmlns="urn:a"/>', size),
  'many comments': fill('<!-- -->', size),
  'many signatures': fill('<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"/>', size),
  'references of characters': `<a>${fill('&#65;', size)}</a>`,
  'a long text': `<a>${fill('x', size)}</a>`,
  'huge base64': `<a>${fill('QUJD', size)}</a>`,
});

const bomb = `<!DOCTYPE a [<!ENTITY x0 "x">${Array.from({ length: 30 }, (_, n) => `<!ENTITY x${n + 1} "&x${n};&x${n};">`).join('')}]>`;

function messages(honest: string, size: number): Readonly<Record<string, string>> {
  const room = size - honest.length;
  return {
    ...Object.fromEntries(
      Object.entries(hostile(room)).map(([name, piece]) => [name, honest.replace('</saml:Issuer>', `$&${piece}`)]),
    ),
    'entities that grow': bomb + honest.replace('person-1', '&x30;'),
    'no end': honest.slice(0, -20) + fill('<a>', room),
    'nothing but opening brackets': fill('<', size),
    'a long name': `<${fill('a', size)}`,
  };
}

/** Base64 in as few characters as a form needs. */
const inForm = (xml: string): string => base64(xml).replaceAll('+', '%2B').replaceAll('=', '%3D');

/** Each message as large as its form may be. */
function formsOf(path: string, field: string, honest: string, most: number): Readonly<Record<string, string>> {
  const largest = (name: string): string => {
    for (let size = most; ; size = Math.floor(size * 0.97)) {
      const form = field + inForm(messages(honest, size)[name]!);
      if (form.length <= most) return form;
    }
  };
  return Object.fromEntries(Object.keys(messages(honest, most)).map((name) => [`${path} ${name}`, largest(name)]));
}

t.test('SEC-87 no SAML message costs a server thread more than 10 ms', { timeout: 400_000 }, async (t) => {
  const flow = await openSamlFlow(t);
  await flow.addProvider(idp);
  const sender = startSendingProcess(t, Number(new URL(flow.url).port));
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };

  const signed = idp.write({ ...expectedOf(), attributes: { mail: 'ann@acme.example' } });
  const logout = writeLogoutRequest(idp);
  const forms: Readonly<Record<string, string>> = {
    ...formsOf('/sso/saml/acs', 'SAMLResponse=', signed, MOST_RESPONSE),
    ...formsOf('/sso/saml/slo', 'SAMLRequest=', logout, MOST_LOGOUT),
    '/sso/saml/acs base64 in escapes': `SAMLResponse=${fill('%41', 262_000)}`,
    '/sso/saml/acs no base64': `SAMLResponse=${fill('%C3%A9', 262_000)}`,
    '/sso/saml/acs broken escapes': `SAMLResponse=${fill('%zz', 262_000)}`,
    '/sso/saml/acs a long RelayState': `SAMLResponse=AAAA&RelayState=${fill('x', 262_000)}`,
    '/sso/saml/acs white space': `SAMLResponse=${fill('+', 262_000)}`,
  };
  // npm test has each message, for the one or the other endpoint.
  const rows = pickRows(
    Object.entries(forms).map(([name, body]) => ({ name, body, path: name.split(' ')[0]! })),
    [({ name, path }) => name.slice(path.length), ({ path }) => path],
  );
  for (const { name, body, path } of rows) {
    t.ok(
      body.length <= (path.endsWith('acs') ? MOST_RESPONSE : MOST_LOGOUT),
      `${name}: ${body.length} bytes are taken`,
    );
    await sender.prepare({ method: 'POST', path, headers, body });
    let status = 0;
    const send = async () => {
      status = await sender.send();
    };
    await send();
    // The assertion is signed and not what is around it, so that a message may sign in the first time.
    t.ok(status === 303 || status === 302, `${name}: ${status}`);
    await assertCheap(t, name, LIMIT_MS, 0, send, ofServerThread);
    const { headers: answered } = await fetch(flow.url + path, { method: 'POST', redirect: 'manual', headers, body });
    const location = new URL(answered.get('location') ?? '');
    t.match(location.searchParams.get('error_description'), SENTENCE, `${name}: one short sentence`);
    t.ok(location.href.length < 300, name);
  }
});

t.test('SEC-87 nor one in a query, however far it is deflated', sameInFull, async (t) => {
  const flow = await openSamlFlow(t);
  await flow.addProvider(idp);
  const sender = startSendingProcess(t, Number(new URL(flow.url).port));
  for (const xml of [fill('<a/>', 4_000_000), fill('<a>', 1_000_000), writeLogoutRequest(idp) + fill(' ', 200_000)]) {
    const query = new URLSearchParams({
      SAMLRequest: deflateRawSync(xml).toString('base64'),
      SigAlg: 'a',
      Signature: 'b',
    });
    const path = `/sso/saml/slo?${query}`;
    await sender.prepare({ method: 'GET', path, headers: {}, body: '' });
    let status = 0;
    await assertCheap(
      t,
      `${xml.length} bytes`,
      LIMIT_MS,
      0,
      async () => {
        status = await sender.send();
      },
      ofServerThread,
    );
    t.equal(status, 303, `${path.length} bytes`);
  }
});
