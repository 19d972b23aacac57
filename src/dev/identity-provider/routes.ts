import { randomBytes } from 'node:crypto';
import { type ApiRequest, type Reply, type Route, redirect } from '../../server/http/types.js';
import type { App } from '../../server/runtime/app.js';
import { assertSamlOn } from '../../server/saml/saml-on.js';
import { serviceProviderOf } from '../../server/saml/service-provider.js';
import { isLocalRequest } from '../local-request.js';
import { PROVIDER_ENTITY_ID, providerPaths } from './addresses.js';
import { giveCompany, readCompanyPlace } from './company-place.js';
import { answerSignIn, type IdentityProvider, receiveRequest } from './company-sign-in.js';
import { beginSignOut, receiveLogout } from './company-sign-out.js';
import { readFault } from './faults.js';
import {
  ARRIVAL_SOURCE,
  renderAnswer,
  renderArrival,
  renderProviderHome,
  renderRefused,
  renderWhoSignsIn,
  SUBMIT_SOURCE,
} from './pages.js';
import { type CompanyPerson, companyPeople } from './people.js';
import { renderProviderMetadata } from './provider-metadata.js';
import { readAuthnRequest } from './received-request.js';

/** The endpoints of the identity provider, which exist under `latchkey dev` only. */
export function identityProviderRoutes(provider: IdentityProvider): Route<App>[] {
  const ownName = new URL(provider.baseUrl).hostname;
  const row = (
    method: 'GET' | 'POST',
    path: string,
    answer: (app: App, request: ApiRequest) => Reply | Promise<Reply>,
  ): Route<App> => ({
    method,
    path,
    ...{ caller: 'none', quiet: true, assertOn: assertSamlOn },
    ...(method === 'POST' && { form: true }),
    handler: (app, request) => (isLocalRequest(request, ownName, method === 'GET') ? answer(app, request) : FORBIDDEN),
  });
  return [
    row('GET', providerPaths.home, (app) => showHome(provider, app)),
    row('GET', providerPaths.metadata, async () => ({
      status: 200,
      body: renderProviderMetadata(provider.baseUrl, (await provider.key).certificate),
      headers: { 'Content-Type': 'application/xml' },
    })),
    row('GET', providerPaths.arrival, () => show(renderArrival, { rules: `script-src ${ARRIVAL_SOURCE}` })),
    row('GET', providerPaths.signIn, (app, { rawQuery }) => askWho(provider, app, rawQuery)),
    row('POST', providerPaths.answer, (app, request) => answerForm(provider, app, request)),
    row('GET', providerPaths.logout, async (app, request) => {
      const target = await receiveLogout(provider, app, request);
      return target === null
        ? refuse('No message of log-out that this server has signed, for here and now.', '')
        : redirect(303, target);
    }),
    row('POST', providerPaths.signOut, async (app, request) => {
      const person = personOf(request);
      return person === undefined ? refuse(NO_PERSON, '') : redirect(303, await beginSignOut(provider, app, person));
    }),
    row('POST', providerPaths.place, async (_, { form }) => {
      const isGiven = provider.admin !== null && (await giveCompany(provider.admin, form.get('organization') ?? ''));
      return isGiven ? redirect(303, provider.baseUrl + providerPaths.home) : refuse(NOT_GIVEN, '');
    }),
  ];
}

const FORBIDDEN: Reply = {
  status: 403,
  body: { code: 403, error_code: 'no_authorization', msg: 'The identity provider answers its own pages only' },
};
const NO_PERSON = 'No such person works here.';
const NOT_GIVEN = 'The server does not let it belong to that organization.';
const NOT_OURS = 'The request is not one that this server has signed, so it is not answered.';

const personOf = ({ form }: ApiRequest): CompanyPerson | undefined =>
  companyPeople.find(({ key }) => key === form.get('person'));

function show(render: (nonce: string) => string, { status = 200, rules = "form-action 'self'" } = {}): Reply {
  const nonce = randomBytes(16).toString('base64');
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; img-src data:; base-uri 'none'; frame-ancestors 'none'; ${rules}`;
  const headers = {
    ...{ 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy },
    ...{ 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-store' },
  };
  return { status, body: render(nonce), headers };
}

const refuse = (reason: string, xml: string): Reply =>
  show((nonce) => renderRefused(nonce, reason, xml), { status: 400 });

async function showHome({ baseUrl, trace, admin }: IdentityProvider, { config }: App): Promise<Reply> {
  const place = admin === null || !config.organizationsEnabled ? null : await readCompanyPlace(admin);
  return show((nonce) =>
    renderProviderHome({
      nonce,
      entityId: PROVIDER_ENTITY_ID,
      audience: serviceProviderOf(config).entityId,
      target: baseUrl + providerPaths.arrival,
      hasPages: config.pagesEnabled,
      place,
      messages: trace.list(),
    }),
  );
}

function askWho(provider: IdentityProvider, app: App, rawQuery: string): Reply {
  const { isGenuine, xml } = receiveRequest(provider, app, rawQuery);
  if (!isGenuine) return refuse(NOT_OURS, xml);
  return show((nonce) => renderWhoSignsIn(nonce, rawQuery, xml, serviceProviderOf(app.config).entityId));
}

/** A person was chosen, for a request or without one. */
async function answerForm(provider: IdentityProvider, app: App, request: ApiRequest): Promise<Reply> {
  const { form } = request;
  const person = personOf(request);
  if (person === undefined) return refuse(NO_PERSON, '');
  const asked = form.get('request');
  const read = asked === undefined ? null : readAuthnRequest(asked, serviceProviderOf(app.config).keyPem);
  if (read?.isGenuine === false) return refuse(NOT_OURS, read.xml);
  const fault = readFault(form.get('fault'));
  const relayState = read === null ? (form.get('RelayState') ?? '') : read.relayState;
  const answer = await answerSignIn(provider, app, person, read, relayState, fault);
  // What is wrong on purpose is to be seen.
  const isShown = fault !== null || form.get('show') === 'true';
  // Without a rule about forms: the server redirects to addresses that this page cannot know.
  return show((nonce) => renderAnswer(nonce, answer, isShown), { rules: `script-src ${SUBMIT_SOURCE}` });
}
