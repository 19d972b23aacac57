/** A console with a company, and an operator who tests sign-ins there. */
import { openTestConsole, type SignedInOperator, type TestConsole } from './console.js';
import { type Browser, makeBrowser } from './external-flow.js';
import { type FakeSamlIdp, openFakeIdp, type ResponseOptions } from './fake-saml-idp.js';
import { expectedOf, samlSettings } from './saml-flow.js';
import type { Test } from './tap.js';

export interface CompanyTests {
  readonly console: TestConsole;
  readonly idp: FakeSamlIdp;
  readonly operator: SignedInOperator;
  /** Of the console. */
  readonly path: string;
  readonly providerId: string;
  /** Opens a test. @returns its id, and the browser at the identity provider */
  begin(): Promise<{ id: string; browser: Browser; location: string }>;
  /** Posts a form to the ACS. */
  post(browser: Browser, form: Record<string, string>): Promise<Response>;
  /** A whole test. */
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on its members.
  run(options?: Partial<ResponseOptions>): Promise<{ id: string; answer: Response; trace: any }>;
}

export const mapping = {
  keys: {
    email: { name: 'mail' },
    name: { name: 'displayName' },
    groups: { name: 'memberOf', array: true, target: 'app_metadata' },
  },
};

export const attributes = {
  mail: 'Ada@Acme.example',
  displayName: 'Ada Lovelace',
  memberOf: ['staff', 'admins'],
  room: '12',
};

export async function openCompanyTests(t: Test, settings: Record<string, string> = {}): Promise<CompanyTests> {
  const console = await openTestConsole(t, samlSettings(settings));
  const idp = openFakeIdp();
  const fields = { metadata_xml: idp.metadata(), domains: ['acme.example'], attribute_mapping: mapping };
  const operator = await console.signIn('admin', 'grace@example.com');
  const { body } = await operator.post('/api/sso-providers', fields);
  return companyTestsOn(console, operator, idp, body.id);
}

/** @param operator of the role admin. @param providerId of the console for the identity provider */
export function companyTestsOn(
  console: TestConsole,
  operator: SignedInOperator,
  idp: FakeSamlIdp,
  providerId: string,
): CompanyTests {
  const path = `/api/sso-providers/${providerId}`;

  const begin: CompanyTests['begin'] = async () => {
    const opened = await operator.post(`${path}/traces`);
    if (opened.status !== 201) throw new Error(opened.text);
    const { pathname, search } = new URL(opened.body.url);
    const browser = makeBrowser(console.url);
    const page = await (await browser.open(pathname + search)).text();
    const href = /href="(\?[^"]*)"/.exec(page)?.[1] ?? '';
    const departure = await browser.open(pathname + href.replaceAll('&amp;', '&'));
    return { id: opened.body.id, browser, location: departure.headers.get('location') ?? '' };
  };
  const post: CompanyTests['post'] = (browser, form) =>
    browser.open('/sso/saml/acs', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams(form)),
    });
  return {
    ...{ console, idp, operator, path, providerId, begin, post },
    async run(options = {}) {
      const { id, browser, location } = await begin();
      const request = idp.readRequest(location);
      const response = idp.respond({ ...expectedOf(request.id), attributes, ...options });
      const answer = await post(browser, { SAMLResponse: response, RelayState: request.relayState });
      return { id, answer, trace: (await operator.get(`/api/traces/${id}`)).body };
    },
  };
}
