import { apiError } from '../errors.js';
import { type ApiRequest, type Reply, redirect } from '../http/types.js';
import type { App } from '../runtime/app.js';
import { continueSsoLogout } from '../saml/logout/begin-logout.js';
import { consumeLogoutAnswer, consumeLogoutRequest, type ReceivedLogout } from '../saml/logout/consume-logout.js';
import type { SignedForm } from '../saml/post-binding.js';
import { readQuerySignature } from '../saml/redirect-binding.js';
import { assertSamlOn } from '../saml/saml-on.js';
import { clientOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import { redirectAnswer, text } from './shared/docs.js';
import { formPage } from './shared/form-page.js';
import { refuseSso } from './shared/sso-refusal.js';

/** SAML Profiles 4.4 */
const all = {
  path: '/sso/saml/slo',
  caller: 'none',
  assertOn: assertSamlOn,
  limit: 'saml_assertion',
  tag: 'Sign-in',
  answers: {
    200: { description: 'A page that sends the message on as a form.' },
    302: redirectAnswer('To the application: the identity provider has answered.'),
    303: redirectAnswer(
      'To the identity provider; or refused, to SITE_URL, with error, error_code and error_description.',
    ),
  },
  errors: ['samlDisabled'],
} as const;

export const getSsoSamlSlo = defineEndpoint({
  ...all,
  method: 'GET',
  changesOnGet: true,
  query: {
    SAMLRequest: text('The identity provider ends sessions: deflated, in base64.'),
    SAMLResponse: text('Its answer to our request, in the same form.'),
    RelayState: text('Comes back with the answer.'),
    SigAlg: text('The algorithm of the signature.'),
    Signature: text('Over the parameters as they were sent.'),
    continue: text('A log-out that begins here and is sent as a form.'),
  },
  id: 'samlLogout',
  summary: 'Single log-out with the identity provider of a company.',
  handler: (app, request) =>
    refusing(app, request, async () => {
      const started = request.query.get('continue');
      if (started) return show(await continueSsoLogout(app, started));
      return consume(app, request, request.query, (parameter) => ({
        signature: readQuerySignature(request.rawQuery, parameter),
      }));
    }),
});

export const postSsoSamlSlo = defineEndpoint({
  ...all,
  method: 'POST',
  form: true,
  query: {
    SAMLRequest: text('The identity provider ends sessions: in base64, signed.'),
    SAMLResponse: text('Its answer to our request, in the same form.'),
    RelayState: text('Comes back with the answer.'),
  },
  id: 'samlLogoutByForm',
  summary: 'The same with a form.',
  description: 'The parameters come as a form, never in the query.',
  handler: (app, request) => refusing(app, request, () => consume(app, request, request.form, () => null)),
});

const show = ({ address, fields }: SignedForm): Reply => ({ status: 200, ...formPage('Signing out', address, fields) });

type Parameters = ReadonlyMap<string, string>;

async function consume(
  app: App,
  request: ApiRequest,
  parameters: Parameters,
  queryOf: (parameter: 'SAMLRequest' | 'SAMLResponse') => ReceivedLogout['query'],
): Promise<Reply> {
  const relayState = parameters.get('RelayState') ?? '';
  const asked = parameters.get('SAMLRequest');
  if (asked) {
    const received = { text: asked, query: queryOf('SAMLRequest'), relayState };
    const answer = await consumeLogoutRequest(app, clientOf(request), received);
    if ('form' in answer) return show(answer.form);
    return redirect(303, answer.location ?? app.redirects.choose([]).url);
  }
  const answered = parameters.get('SAMLResponse');
  if (!answered) throw apiError('samlLogoutMissing');
  const received = { text: answered, query: queryOf('SAMLResponse'), relayState };
  const target = await consumeLogoutAnswer(app, clientOf(request), received);
  return redirect(request.method === 'POST' ? 303 : 302, target);
}

async function refusing(app: App, request: ApiRequest, work: () => Promise<Reply>): Promise<Reply> {
  try {
    return await work();
  } catch (error) {
    return refuseSso(app, request, error);
  }
}
