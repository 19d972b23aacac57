/** States of the pages of companies: their forms, and what is refused. */
import { attributes, mapping } from '../company-test.js';
import type { ResponseOptions } from '../fake-saml-idp.js';
import { expectedOf } from '../saml-flow.js';
import type { ConsoleState } from './console-state.js';

export const consoleCompanyStates: readonly ConsoleState[] = [
  {
    page: '/companies',
    state: 'guides',
    shows: 'main details[open] ol',
    async reach({ enter }, options) {
      const opened = await enter('viewer', { ...options, path: '/companies' });
      for (const name of ['Entra ID', 'Keycloak']) await opened.page.getByText(name, { exact: true }).click();
      return opened;
    },
  },
  {
    page: '/companies',
    state: 'broken-metadata',
    shows: 'dialog #metadata-fault',
    async reach({ enter }, options) {
      const opened = await enter('owner', { ...options, path: '/companies' });
      const { page } = opened;
      await page.getByRole('button', { name: 'Add a company' }).click();
      await page.getByLabel('Metadata in a file').check();
      await page.getByLabel('Metadata file').setInputFiles({
        name: 'metadata.xml',
        mimeType: 'application/xml',
        buffer: Buffer.from('<html>Sign in first</html>'),
      });
      await page.locator('dialog [name="domains"]').fill('new.example');
      await page.getByRole('button', { name: 'Add company' }).click();
      return opened;
    },
  },
  {
    page: '/companies/{sso_provider_id}',
    state: 'change',
    shows: 'dialog [name="attribute_mapping"]',
    async reach({ enter, examples }, options) {
      const opened = await enter('admin', { ...options, path: `/companies/${examples['sso_provider_id']}` });
      await opened.page.getByRole('button', { name: 'Change', exact: true }).click();
      return opened;
    },
  },
  {
    page: '/companies/{sso_provider_id}',
    state: 'tests',
    shows: 'main .badge:has-text("dry run passed")',
    async reach({ enter, company }, options) {
      await company.run();
      await company.run({ audience: 'https://other.example.com' });
      return enter('admin', { ...options, path: `/companies/${company.providerId}` });
    },
  },
  {
    page: '/companies/{sso_provider_id}',
    state: 'opening-a-test',
    shows: 'dialog p:has-text("signs no one in")',
    async reach({ enter, company }, options) {
      const opened = await enter('admin', { ...options, path: `/companies/${company.providerId}` });
      await opened.page.getByRole('button', { name: 'Test a sign-in' }).click();
      return opened;
    },
  },
  {
    page: '/companies/{sso_provider_id}',
    state: 'previewed',
    shows: 'main pre.output:has-text("staff")',
    async reach({ enter, company: { idp, providerId } }, options) {
      const opened = await enter('viewer', { ...options, path: `/companies/${providerId}` });
      const { page } = opened;
      const message = idp.respond({ ...expectedOf(), attributes, signs: 'nothing', clockMs: -3_600_000 });
      await page.getByLabel('Response or assertion').fill(message);
      await page.getByRole('button', { name: 'Try on this' }).click();
      return opened;
    },
  },
  {
    page: '/companies/{sso_provider_id}',
    state: 'draft-of-a-mapping',
    shows: 'main pre.output:has-text("Ada Lovelace")',
    async reach({ enter, company }, options) {
      await company.run();
      const opened = await enter('admin', { ...options, path: `/companies/${company.providerId}` });
      const { page } = opened;
      const draft = { keys: { ...mapping.keys, room: { name: 'room' } } };
      await page.locator('main [name="attribute_mapping"]').fill(JSON.stringify(draft, null, 2));
      await page.getByRole('button', { name: 'Try on the last test' }).click();
      await page.locator('main [role="status"] dl').evaluate((facts) => facts.scrollIntoView());
      return opened;
    },
  },
  {
    page: '/companies/{sso_provider_id}',
    state: 'domain-without-a-record',
    shows: 'main .alert.error:has-text("There is no TXT record")',
    async reach({ enter, company }, options) {
      const opened = await enter('admin', { ...options, path: `/companies/${company.providerId}` });
      await opened.page.getByRole('button', { name: 'Verify acme.example' }).click();
      return opened;
    },
  },
  {
    page: '/companies/{sso_provider_id}',
    state: 'checked',
    shows: 'main .checks li.passed',
    async reach({ enter, company }, options) {
      const opened = await enter('admin', { ...options, path: `/companies/${company.providerId}` });
      await opened.page.getByRole('button', { name: 'Check', exact: true }).click();
      return opened;
    },
  },
  {
    page: '/companies/{sso_provider_id}',
    state: 'scim-calls',
    shows: 'main table[aria-label="Last SCIM calls"] a[href^="/requests/"]',
    reach: ({ enter, company }, options) => enter('viewer', { ...options, path: `/companies/${company.providerId}` }),
  },
  {
    page: '/companies/{sso_provider_id}',
    state: 'scim-token-to-end',
    shows: 'dialog .actions button.danger',
    async reach({ enter, company }, options) {
      const opened = await enter('admin', { ...options, path: `/companies/${company.providerId}` });
      await opened.page.getByRole('button', { name: 'End the token Entra ID' }).click();
      return opened;
    },
  },
  {
    page: '/companies/{sso_provider_id}',
    state: 'scim-token-made',
    shows: 'dialog dl code',
    async reach({ enter, company }, options) {
      const opened = await enter('admin', { ...options, path: `/companies/${company.providerId}` });
      const { page } = opened;
      const body = JSON.stringify({ token: `lks_${'x'.repeat(43)}` });
      await page.route('**/scim-tokens', (route) =>
        route.request().method() === 'POST'
          ? route.fulfill({ status: 201, contentType: 'application/json', body })
          : route.fallback(),
      );
      await page.getByRole('button', { name: 'Make a token' }).click();
      await page.locator('dialog [name="name"]').fill('Okta');
      await page.getByRole('button', { name: 'Make token', exact: true }).click();
      return opened;
    },
  },
  {
    page: '/companies/{sso_provider_id}',
    state: 'scim-switched-off',
    shows: 'main .card p:has-text("AUTH_SCIM_ENABLED")',
    async reach({ signIn, origin, company }, options) {
      const opened = await signIn('viewer', options);
      const body = JSON.stringify({ code: 404, error_code: 'feature_disabled', msg: 'SCIM is disabled' });
      await opened.page.route('**/scim-tokens', (route) =>
        route.fulfill({ status: 404, contentType: 'application/json', body }),
      );
      await opened.page.goto(`${origin}/companies/${company.providerId}`);
      return opened;
    },
  },
  companyTrace('company-failed', 'main li.failed .advice', { audience: 'https://other.example.com' }),
  companyTrace('company-passed', 'main .badge:has-text("dry run passed")', {}),
];

/** A test of the company. */
function companyTrace(state: string, shows: string, answer: Partial<ResponseOptions>): ConsoleState {
  return {
    page: '/traces/{trace_id}',
    state,
    shows,
    async reach({ enter, company }, options) {
      const { id } = await company.run(answer);
      const opened = await enter('admin', { ...options, path: `/traces/${id}` });
      await opened.page.locator(shows).first().scrollIntoViewIfNeeded();
      return opened;
    },
  };
}
