/** Attributes of an assertion become claims: by which names, from which attribute, and what is left over. */
import { examineSamlPerson, readSamlPerson } from '../../src/server/saml/mapping.js';
import { EMAIL_FORMAT, PERSISTENT } from '../support/fake-saml-idp.js';
import { t } from '../support/tap.js';

const attribute = (name: string, friendlyName: string, ...values: string[]) => ({ name, friendlyName, values });
const nameId = { value: 'p1', format: PERSISTENT };
const said = {
  nameId,
  attributes: [
    attribute('urn:oid:2.5.4.3', 'CN', '', 'Ada'),
    attribute('Groups', '', 'a'),
    attribute('groups', '', '', 'b'),
    attribute('empty', '', ''),
    attribute('urn:oid:0.9.2342.19200300.100.1.3', 'mail', 'ada@acme.example'),
    attribute('other', '', 'x'),
  ],
};

t.test('names are compared without case, with Name and FriendlyName; the first that has a value wins', async (t) => {
  const keys = {
    name: { names: ['empty', 'none', 'cn', 'other'] },
    groups: { name: 'GROUPS', array: true },
    first: { name: 'groups' },
    nothing: { name: 'empty' },
    given: { name: 'empty', default: 'd' },
    trusted: { name: '', names: ['other'], target: 'app_metadata' },
  };
  const { claims, trustedClaims, shortened } = readSamlPerson(said, { keys });
  t.same(claims, { name: 'Ada', custom_claims: { groups: ['a', 'b'], first: 'a', given: 'd' } });
  t.same(trustedClaims, { trusted: 'x' }, 'an empty name is none');
  t.same(shortened, ['first']);
  t.same(examineSamlPerson(said, { keys }).unmapped, []);
});

t.test('an examination says where values are from, and what nothing maps', async (t) => {
  const found = examineSamlPerson(said, { keys: { name: { name: 'cn' } } });
  t.match(found, {
    subject: { value: 'p1', from: 'NameID' },
    email: { value: 'ada@acme.example', from: /^urn:oid:0/ },
  });
  t.same(
    found.unmapped.map(({ name }) => name),
    ['Groups', 'groups', 'empty', 'other'],
  );
  const address = { value: ' Ada@Acme.example', format: EMAIL_FORMAT };
  const byName = examineSamlPerson({ nameId: address, attributes: [] }, {});
  t.match(byName, { subject: { value: 'ada@acme.example' }, email: { from: 'NameID' }, unmapped: [] });
  const mapped = examineSamlPerson(said, { keys: { email: { name: 'other' } } });
  t.match(mapped.email, { value: 'x', from: 'other' });
  t.ok(
    mapped.unmapped.some(({ friendlyName }) => friendlyName === 'mail'),
    'the usual one is not taken then',
  );
  t.match(examineSamlPerson({ nameId: null, attributes: [] }, {}), {
    subject: { value: '', from: null },
    email: { value: '', from: null },
  });
});
