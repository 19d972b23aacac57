/** An operator sets a company up in the console: a test that is followed, a mapping that is tried and saved, a domain that is proved. */
import { formPage } from '../../src/server/endpoints/shared/form-page.js';
import { attributes } from '../support/company-test.js';
import { awaitNoDialog, findPageFaults, openConsolePages } from '../support/console-page.js';
import { openDns, type Zone } from '../support/dns-server.js';
import { openFakeIdp, type ResponseOptions } from '../support/fake-saml-idp.js';
import { freePort } from '../support/free-port.js';
import { serveOnLoopback } from '../support/loopback-server.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { samlSettings } from '../support/saml-flow.js';
import { equalSoon } from '../support/soon.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('pages of the console in a browser; the same by HTTP: console-company-tests');

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const port = String(await freePort());
  const origin = `http://localhost:${port}`;
  const zone: Zone = {};
  const settings = { API_PORT: port, API_EXTERNAL_URL: origin, DNS_SERVERS: await openDns(t, zone) };
  const pages = await openConsolePages(t, executablePath, samlSettings(settings));
  const { console } = pages;
  const idp = openFakeIdp();
  const there: { answer: Partial<ResponseOptions> } = { answer: {} };
  // A browser follows a redirect past what a test intercepts, so this one is really there.
  const idpUrl = await serveOnLoopback(t, (request, response) => {
    const { id, relayState } = idp.readRequest(new URL(request.url!, 'http://localhost').href);
    const expected = { acsUrl: `${origin}/sso/saml/acs`, audience: `${origin}/sso/saml/metadata`, requestId: id };
    const form = { SAMLResponse: idp.respond({ ...expected, attributes, ...there.answer }), RelayState: relayState };
    const { body, headers } = formPage('Company', expected.acsUrl, form);
    response.writeHead(200, headers).end(body);
  });
  const admin = await console.signIn('admin', 'of-companies');
  const { body: company } = await admin.post('/api/sso-providers', {
    metadata_xml: idp.metadata().replace(/Location="[^"]*\/sso[^"]*"/, `Location="${idpUrl}/sso"`),
    domains: ['acme.example'],
  });
  const path = `/companies/${company.id}`;

  t.test('a test is followed to its end, failed and passed, and signs no one in', async (t) => {
    const { page, faults } = await pages.enter('admin', { path });
    there.answer = { audience: 'urn:other' };
    const follow = async () => {
      await page.getByRole('button', { name: 'Test a sign-in' }).focus();
      await page.keyboard.press('Enter');
      await page.locator('dialog[open]').waitFor();
      await page.getByRole('button', { name: 'Open a test' }).click();
      const link = page.getByRole('link', { name: 'Open in a new tab' });
      await link.waitFor();
      const [tab] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
      await tab.getByText('what acme.example tells about you').waitFor();
      await tab.getByRole('link', { name: 'Go on' }).click();
      await tab.getByText('The dry run has ended').waitFor();
      t.same(await findPageFaults(tab), []);
      await tab.close();
    };
    await follow();
    await page.getByText('failed', { exact: true }).waitFor();
    const audience = page.locator('li.failed', { hasText: 'Audience' }).first();
    await audience.getByText('urn:other').waitFor();
    await audience.getByText('Enter our entity ID as audience').waitFor();
    t.same(await findPageFaults(page), []);
    await page.getByRole('link', { name: 'Company', exact: true }).click();
    there.answer = {};
    await follow();
    await page.getByText('dry run passed', { exact: true }).waitFor();
    await page.getByText('person-1, ada@acme.example').waitFor();
    t.same(await findPageFaults(page), []);
    await page.getByRole('link', { name: 'Company', exact: true }).click();
    await equalSoon(t, () => page.getByRole('table', { name: 'Traces' }).getByRole('link').count(), 2);
    t.equal((await console.database.admin.query('select from users')).rowCount, 0);
    t.equal((await console.database.admin.query('select from sessions')).rowCount, 0);
    t.same(faults, []);
  });

  t.test('a mapping is tried on the last test, and saved; a domain is proved', async (t) => {
    const { page, faults } = await pages.enter('owner', { path, width: 320 });
    const mapping = page.locator('main [name="attribute_mapping"]');
    await mapping.fill('{"keys": {');
    await page.getByRole('button', { name: 'Try on the last test' }).click();
    await page.getByText('attribute_mapping is no JSON').waitFor();
    await mapping.fill('{"keys": {"department": {"name": "room"}}}');
    await page.getByRole('button', { name: 'Try on the last test' }).click();
    await page.locator('pre', { hasText: '"department": "12"' }).waitFor();
    await page.locator('dt', { hasText: 'memberOf' }).waitFor();
    t.same(await findPageFaults(page), []);
    t.same((await admin.get(`/api/sso-providers/${company.id}`)).body.saml.attribute_mapping, {}, 'nothing is stored');
    await page.getByRole('button', { name: 'Save mapping' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save mapping' }).click();
    await awaitNoDialog(page);
    await equalSoon(t, () => page.getByRole('button', { name: 'Save mapping' }).count(), 0);
    const stored = (await admin.get(`/api/sso-providers/${company.id}`)).body;
    t.same(stored.saml.attribute_mapping, { keys: { department: { name: 'room' } } });

    await page.getByRole('button', { name: 'Verify acme.example' }).click();
    await page.getByText('There is no TXT record').waitFor();
    const [{ record }] = stored.proofs;
    zone[record.name] = { txt: [record.value] };
    await page.getByRole('button', { name: 'Verify acme.example' }).click();
    await page.locator('.badge', { hasText: /^proved$/ }).waitFor();

    await page.getByRole('button', { name: 'Change', exact: true }).click();
    t.ok(await page.getByLabel('Metadata in a file').isChecked(), 'as the company was added');
    await page.getByLabel('resource_id').fill('acme');
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await awaitNoDialog(page);
    await page.locator('dd', { hasText: /^acme$/ }).waitFor();
    t.same(await findPageFaults(page), []);
    t.same(faults, []);
  });
}
