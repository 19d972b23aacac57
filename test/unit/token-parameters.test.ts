import { parseForm, valuesOf } from '../../src/server/http/url.js';
import { readTokenParameters } from '../../src/server/oauth/token-parameters.js';
import { t } from '../support/tap.js';

/** As a request with this form, or with this JSON body, has them. */
function parametersOf(form: string, body: Readonly<Record<string, unknown>> = {}) {
  let formsRead = 0;
  const parameters = readTokenParameters({
    body,
    form: parseForm(form),
    allValues(name) {
      formsRead += 1;
      return valuesOf(form, name);
    },
  });
  return { parameters, formsRead: () => formsRead };
}

t.test('the parameters of a form', async (t) => {
  const { parameters } = parametersOf(
    'grant_type=refresh_token&resource=a&resource=&resource=b%20c&scope=&scope=email',
  );
  t.equal(parameters.get('grant_type'), 'refresh_token');
  t.same(parameters.all('resource'), ['a', 'b c'], 'empty values are left out');
  t.equal(parameters.get('scope'), 'email', 'the first that is not empty');
  t.equal(parameters.get('client_id'), undefined);
  t.same(parameters.all('audience'), []);
});

t.test('in a form + is a space, and a plus sign is escaped', async (t) => {
  const form = parseForm('a+name=+é%2B+𝌆++&b=%C3%A9+x');
  t.same(
    [...form],
    [
      ['a name', ' é+ 𝌆  '],
      ['b', 'é x'],
    ],
  );
});

t.test('a form without repeated parameters is read once', async (t) => {
  const { parameters, formsRead } = parametersOf('grant_type=refresh_token&client_id=a&refresh_token=b');
  for (const name of ['grant_type', 'client_id', 'client_secret', 'refresh_token', 'scope']) parameters.get(name);
  t.same(parameters.all('resource'), []);
  t.equal(formsRead(), 0);
});

t.test('the parameters of JSON', async (t) => {
  const { parameters } = parametersOf('', { grant_type: 'refresh_token', resource: ['a', '', 'b', 1], scope: '' });
  t.equal(parameters.get('grant_type'), 'refresh_token');
  t.equal(parameters.get('scope'), undefined);
  t.same(parameters.all('resource'), ['a', 'b']);
});
