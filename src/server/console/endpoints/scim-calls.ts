/** The last calls of identity providers that provision: of a company, and of an organization. */
import { listScimCalls } from '../../../db/scim-calls.js';
import { readOrganization } from '../../organizations/change-organization.js';
import { isRecording } from '../../records/is-recording.js';
import type { App } from '../../runtime/app.js';
import { readSsoProvider } from '../../saml/providers/find-sso-provider.js';
import { defineConsole, listOf, objectOf, orNull } from '../define-console.js';
import { ofOrganizationScim, ofProviderScim, organizationScimErrors, providerScimErrors } from './scim-tokens.js';

const text = { type: 'string' } as const;
const answer = {
  description:
    'The last 200, newest first. `is_recording`: this server records them (AUTH_CONSOLE_RECORDS_ENABLED). They are written about a second after their answers.',
  body: objectOf({
    is_recording: { type: 'boolean' },
    calls: listOf(
      objectOf({
        id: text,
        called_at: text,
        request_id: text,
        token_name: { ...text, description: 'That of the token when it called.' },
        method: text,
        path: { ...text, description: 'Below /scim/v2, without values that a filter looks for.' },
        status: { type: 'integer' },
        scim_type: orNull('string'),
        detail: { ...orNull('string'), description: 'Why it was refused.' },
        changes: { ...listOf(text), description: 'What it was to change: attributes, without their values.' },
        resource_id: orNull('string'),
      }),
    ),
  }),
} as const;

const show = async (app: App, scopeId: string) => ({
  status: 200,
  body: { is_recording: isRecording(app.config), calls: await listScimCalls(app.db, scopeId) },
});

export const getConsoleProviderScimCalls = defineConsole({
  ...ofProviderScim,
  method: 'GET',
  path: '/api/sso-providers/{sso_provider_id}/scim-calls',
  role: 'viewer',
  id: 'listSsoProviderScimCalls',
  summary: 'Lists the last SCIM calls of the identity provider of a company.',
  answer,
  errors: providerScimErrors,
  handler: async (app, { params }) => show(app, (await readSsoProvider(app, params.sso_provider_id)).id),
});

export const getConsoleOrganizationScimCalls = defineConsole({
  ...ofOrganizationScim,
  method: 'GET',
  path: '/api/organizations/{organization_id}/scim-calls',
  role: 'viewer',
  id: 'listOrganizationScimCalls',
  summary: 'Lists the last SCIM calls for an organization.',
  answer,
  errors: organizationScimErrors,
  handler: async (app, { params }) => show(app, (await readOrganization(app, params.organization_id)).id),
});
