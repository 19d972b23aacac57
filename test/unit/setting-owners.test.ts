/** Who may choose which servers this server calls. */
import { mainNameOf, placeWithCustom } from '../../src/server/config/settings.js';
import { isStorable } from '../../src/server/config/storable.js';
import { isOfOwners } from '../../src/server/console/setting-rights.js';
import { t } from '../support/tap.js';

/** Names of servers and addresses that only browsers and clients follow, or that tokens and discovery have as a name. */
const notCalled = new Set([
  'AUTH_SITE_URL',
  'AUTH_URI_ALLOW_LIST',
  'AUTH_API_EXTERNAL_URL',
  'AUTH_EXTERNAL_REDIRECTURL',
  'AUTH_CUSTOM_OAUTH_EXTERNAL_URL',
  'AUTH_SAML_EXTERNAL_URL',
  'AUTH_JWT_ISSUER',
  'AUTH_OAUTH_SERVER_RESOURCES',
  'AUTH_PAGES_LINKS',
  'AUTH_WEBAUTHN_RP_ORIGINS',
]);

t.test('a server that this one calls is named by owners', async (t) => {
  const named = placeWithCustom(['AUTH_EXTERNAL_CUSTOM_ACME_ISSUER']).filter(({ setting }) => {
    const name = mainNameOf(setting);
    const isAddress = setting.kind === 'url' || setting.kind === 'issuers' || /:\/\//.test(setting.example);
    return isAddress && isStorable(setting) && !name.endsWith('_REDIRECT_URI') && !notCalled.has(name);
  });
  t.ok(named.length > 20, 'those of providers, gateways and services');
  t.same(
    named.filter((placed) => !isOfOwners(placed)).map(({ setting }) => mainNameOf(setting)),
    [],
  );
  const names = named.map(({ setting }) => mainNameOf(setting));
  for (const name of ['AUTH_EXTERNAL_CUSTOM_ACME_ISSUER', 'AUTH_EXTERNAL_GITLAB_URL', 'AUTH_PASSWORD_HIBP_API_URL']) {
    t.ok(names.includes(name), name);
  }
});
