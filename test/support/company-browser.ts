/** An identity provider of a company that a real browser sees: pages which send what the fake one signs. */
import type { BrowserContext } from 'playwright-core';
import { formPage } from '../../src/server/endpoints/shared/form-page.js';
import type { FakeSamlIdp, ResponseOptions } from './fake-saml-idp.js';

export interface CompanyPages {
  /** Of the next answers: who signs in, and what is wrong with it. */
  answer: Partial<ResponseOptions>;
  /** Forms that were given out, the last one last. */
  readonly sent: Readonly<Record<string, string>>[];
}

/** @param origin of the server that the browser comes from. @param context whose requests for the provider end here */
export async function openCompanyPages(
  context: BrowserContext,
  idp: FakeSamlIdp,
  origin: string,
  answer: Partial<ResponseOptions>,
): Promise<CompanyPages> {
  const pages: CompanyPages = { answer, sent: [] };
  const acsUrl = `${origin}/sso/saml/acs`;
  await context.route(`${new URL(idp.entityId).origin}/sso?**`, (route) => {
    const { id, relayState } = idp.readRequest(route.request().url());
    const audience = `${origin}/sso/saml/metadata`;
    const SAMLResponse = idp.respond({ acsUrl, audience, requestId: id, ...pages.answer });
    const form = { SAMLResponse, RelayState: relayState };
    pages.sent.push(form);
    const { body, headers } = formPage('Company', acsUrl, form);
    return route.fulfill({ status: 200, headers, body });
  });
  return pages;
}
