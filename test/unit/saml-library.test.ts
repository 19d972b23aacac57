/** The server's way to verify a signature against that of a library: what one accepts, the other accepts, with the same bytes. */
import { assertSignatures } from '../../src/workers/saml/signatures.js';
import { verifySigned } from '../../src/workers/saml/verify-signed.js';
import { loadXml } from '../../src/workers/saml/xml.js';
import { openFakeIdp, type ResponseOptions } from '../support/fake-saml-idp.js';
import { chooseSeed, openRandom, pickForm, sameInFull } from '../support/long-form.js';
import { signWithLibrary, verifyWithLibrary } from '../support/saml-library.js';
import { t } from '../support/tap.js';

const xml = loadXml();
const idp = openFakeIdp();
const key = idp.key.export({ type: 'pkcs8', format: 'pem' }) as string;
const honest: ResponseOptions = {
  acsUrl: 'https://auth.example.com/sso/saml/acs',
  audience: 'https://auth.example.com/sso/saml/metadata',
  attributes: { mail: 'ann@acme.example', groups: ['a & b', 'c < d > e', 'é€😀'] },
};

/** @returns what the server reads; '' if it refuses. @param owner name of the signed element */
function readHere(text: string, owner: string): string {
  try {
    const root = xml.parse(text);
    const signed = [root, ...Array.from(root.childNodes)].filter(({ localName }) =>
      /^(?:Assertion|Response)$/.test(localName),
    );
    const found = signed.find(({ localName }) => localName === owner);
    if (found === undefined || !assertSignatures(root, signed, false).includes(found)) return '';
    return String(verifySigned(xml, found, [idp.certificate], false));
  } catch {
    return '';
  }
}

function readThere(text: string, owner: string): string {
  try {
    const found = verifyWithLibrary(text, idp.certificate, owner === 'Response' ? undefined : owner);
    return found === null ? '' : String(xml.parse(found));
  } catch {
    return '';
  }
}

const inResponse = (assertion: string, namespaces = ''): string =>
  `<samlp:Response xmlns:samlp="urn:p" xmlns:saml="urn:a"${namespaces} ID="r"><saml:Issuer>i</saml:Issuer>${assertion}</samlp:Response>`;
const assertion = (content: string, attributes = ''): string =>
  `<saml:Assertion ID="a"${attributes}><saml:Issuer>i</saml:Issuer>${content}</saml:Assertion>`;

/** What providers write, and what brings canonical forms apart: name → unsigned message, with prefixes that are signed in any case. */
const written: Readonly<Record<string, readonly [text: string, prefixes?: readonly string[]]>> = {
  'namespaces of the response': [inResponse(assertion('<saml:B/>'))],
  'prefixes of types, as OpenSAML lists them': [
    inResponse(assertion('<saml:V xsi:type="xs:string">b</saml:V>', ' xmlns:xsi="urn:xsi"'), ' xmlns:xs="urn:xs"'),
    ['xs'],
  ],
  'a listed prefix that is declared in between': [
    inResponse(
      assertion('<saml:V xmlns:xs="urn:other">b</saml:V><saml:V/>', ' xmlns:xs="urn:own"'),
      ' xmlns:xs="urn:xs"',
    ),
    ['xs'],
  ],
  'a listed prefix that is declared nowhere': [inResponse(assertion('<saml:B/>')), ['xs', 'xsi']],
  'a default namespace that comes and goes': [
    inResponse(assertion('<B xmlns="urn:b"><C/><D xmlns=""><E/></D></B><F/>'), ' xmlns="urn:outer"'),
  ],
  'a prefix that changes its meaning': [
    inResponse(assertion('<x:B xmlns:x="urn:1"><x:C xmlns:x="urn:2" x:d="1"/><x:E/></x:B>')),
  ],
  'attributes out of order': [
    inResponse(assertion('<saml:B z="1" a="2" saml:c="3" q:b="4" xmlns:q="urn:0" xmlns:p="urn:9" p:a="5"/>')),
  ],
  'white space, line ends and references': [
    inResponse(
      assertion('\r\n <saml:B a="1&#9;2&#10;3&#13;4&quot;&lt;&amp;>"  >\ra&#13;b&gt;c]]&gt;\t&amp;é</saml:B >\n'),
    ),
  ],
  'CDATA, comments and instructions': [
    inResponse(assertion('<saml:B><![CDATA[<a> & b]]>c<!-- d -->e</saml:B><!-- f --><saml:C/>')),
  ],
  'single quotes': [inResponse(assertion('<saml:B a=\'1"2\' b="3\'4"/>'))],
};

t.test('whatever providers write, both read the same', sameInFull, (t) => {
  for (const [name, [text, prefixes = []]] of Object.entries(written)) {
    for (const [id, owner] of [
      ['a', 'Assertion'],
      ['r', 'Response'],
    ] as const) {
      const signed = signWithLibrary(text, key, id, prefixes);
      const there = readThere(signed, owner);
      t.not(there, '', `${name}, ${owner}: the library accepts it`);
      t.equal(readHere(signed, owner), there, `${name}, ${owner}`);
    }
  }
  for (const signs of ['assertion', 'response', 'both'] as const) {
    const signed = idp.write({ ...honest, signs });
    const owner = signs === 'assertion' ? 'Assertion' : 'Response';
    t.not(readHere(signed, owner), '');
    t.equal(readHere(signed, owner), readThere(signed, owner), `canonical, ${signs}`);
  }
  t.end();
});

t.test('a prefix that nothing declares is refused', sameInFull, (t) => {
  for (const text of ['<a:b/>', '<b a:c="1"/>', '<b><a:c/></b>', '<b xmlns:a="urn:a" xmlns:ID="a"><c:d/></b>']) {
    t.throws(() => xml.parse(text), { message: 'a prefix is not declared' }, text);
  }
  t.equal(xml.parse('<b xml:lang="de"><c xmlns:d="urn:d" d:e="1"/></b>').localName, 'b', 'xml is declared by itself');
  t.end();
});

t.test('what was changed is refused by both, or does not matter to both', (t) => {
  const messages = Object.entries(written).map(([, [text, prefixes = []]]) =>
    signWithLibrary(text, key, 'a', prefixes),
  );
  messages.push(idp.write(honest));
  const seed = chooseSeed(t);
  const rounds = pickForm({ short: 400, full: 4000, long: 100_000 });
  const pieces = [
    '',
    ' ',
    '<!-- -->',
    '<x/>',
    '&#65;',
    '"',
    '<',
    '>',
    'A',
    'xmlns:saml="urn:z" ',
    'ID="a" ',
    '<?x y?>',
    '\r',
  ];
  let kept = 0;
  for (let round = 0; round < rounds; round += 1) {
    const random = openRandom(seed, round);
    const text = random.pick(messages);
    const at = random.int(text.length);
    const changed = text.slice(0, at) + random.pick(pieces) + text.slice(at + random.int(3));
    const here = readHere(changed, 'Assertion');
    if (here === '') continue;
    kept += 1;
    if (here !== readThere(changed, 'Assertion'))
      t.equal(here, readThere(changed, 'Assertion'), `round ${round}: ${changed}`);
    if (here !== readHere(text, 'Assertion')) t.equal(here, readHere(text, 'Assertion'), `round ${round}: as signed`);
  }
  t.ok(kept > 0, `${kept} of ${rounds} changes did not matter`);
  t.ok(kept < rounds, 'the others were refused');
  t.end();
});
