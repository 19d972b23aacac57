/** Which secret goes where a setting leads. */
import { allSettings, mainNameOf } from '../../src/server/config/settings.js';
import { isStorable } from '../../src/server/config/storable.js';
import { t } from '../support/tap.js';

t.test('each setting that names a server says which secret goes there', async (t) => {
  const secretless = [
    'AUTH_SITE_URL',
    'AUTH_PASSWORD_HIBP_API_URL',
    'AUTH_API_EXTERNAL_URL',
    'AUTH_EXTERNAL_REDIRECTURL',
    'AUTH_CUSTOM_OAUTH_EXTERNAL_URL',
    'AUTH_SAML_EXTERNAL_URL',
  ];
  const named = allSettings.filter(
    ({ setting, section }) =>
      isStorable(setting) &&
      setting.kind === 'url' &&
      section !== 'Hooks' &&
      !setting.variable.endsWith('_REDIRECT_URI'),
  );
  t.same(
    named
      .filter(({ setting }) => setting.receives === undefined)
      .map(({ setting }) => mainNameOf(setting))
      .sort(),
    secretless.sort(),
  );
  for (const { path, setting } of allSettings) {
    if (setting.receives === undefined) continue;
    const secret = allSettings.find((other) => other.path.join() === [...path.slice(0, -1), setting.receives].join());
    t.equal(secret?.setting.secret, true, mainNameOf(setting));
  }
});
