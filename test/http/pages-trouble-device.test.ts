/**
 * The page for codes of devices, without scripts, with something going wrong at each of its forms: a lost cookie, an
 * expired flow, Back, a double click, a second tab. The device gets the tokens of the person who has allowed it, once.
 */

import { troublesOf } from '../support/hosted/troubles.js';
import { signUpPerson } from '../support/oauth-client.js';
import { addDeviceClient, beginDevice, deviceSettings, pollDevice } from '../support/oauth-device.js';
import { type Form, PageBrowser } from '../support/page-browser.js';
import { cross, pickRows } from '../support/rows.js';
import { openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

const server = await openTestServer(
  t,
  deviceSettings({
    OAUTH_SERVER_DEVICE_PATH: '',
    PAGES_ENABLED: 'true',
    RATE_LIMIT_OAUTH_DEVICE: '100000',
    RATE_LIMIT_TOKEN_REFRESH: '100000',
  }),
);
const client = await addDeviceClient(server);
/** More pages than any way to the end has. */
const MAX_PAGES = 10;
const FORMS = ['code', 'password', 'approve'];

interface Step {
  readonly name: string;
  readonly form: Form;
  readonly fields: Record<string, string>;
}

/** @returns what the page asks for; null: nothing */
function nextStep(browser: PageBrowser, email: string, userCode: string): Step | null {
  const find = (part: string) => browser.forms.find(({ html }) => html.includes(part));
  const [approve, choose, address, code] = ['value="approve"', 'value="choose"', 'name="address"', 'name="code"'].map(
    find,
  );
  if (approve !== undefined) return { name: 'approve', form: approve, fields: { action: 'approve' } };
  if (choose !== undefined) return { name: 'choose', form: choose, fields: { action: 'choose' } };
  if (address !== undefined) {
    return { name: 'password', form: address, fields: { address: email, password, action: 'password' } };
  }
  return code === undefined ? null : { name: 'code', form: code, fields: { code: userCode, action: 'code' } };
}

const cases = pickRows(cross(Object.entries(troublesOf(server)), FORMS), [
  ([trouble]) => trouble,
  ([, place]) => place,
]);

for (const [[troubleName, trouble], place] of cases) {
  t.test(`${troubleName} at the form ${place}`, async (t) => {
    const person = await signUpPerson(server);
    const begun = await beginDevice(server, client);
    const userCode = begun['user_code']!;
    const browser = await new PageBrowser(server.url).open('/ui/device');
    const seen: string[] = [];
    let happened = false;
    while (browser.title !== 'Device connected' && !browser.html.includes('was decided already')) {
      let step = nextStep(browser, person.email, userCode);
      seen.push(`${browser.status} ${browser.title}: ${browser.alert}`);
      if (seen.length > MAX_PAGES) throw new Error(`stuck: ${seen.join(' → ')}`);
      if (step === null) {
        // What the screen of the device says.
        await browser.open('/ui/device');
        step = nextStep(browser, person.email, userCode)!;
      }
      if (step.name === 'password' && happened && place !== 'code') {
        t.equal(step.form.fields['address'], person.email, 'the address is kept');
      }
      if (step.name === place && !happened) {
        happened = true;
        await trouble(browser, step.form, step.fields);
      } else {
        await browser.send(step.form, step.fields);
      }
    }
    t.ok(happened, seen.join(' → '));
    const { status, body } = await pollDevice(server, client, begun['device_code']!);
    t.equal(status, 200, seen.join(' → '));
    t.equal((await server.call('GET', '/user', { bearer: body.access_token })).body.email, person.email);
    const again = await pollDevice(server, client, begun['device_code']!);
    t.match(again, { status: 400, body: { error: 'invalid_grant' } }, 'once');
  });
}
