/** Generates OpenAPI 3.1 from the definitions of the endpoints and the catalogue of API errors. */
import type { ErrorName } from '../errors.js';
import type { ObjectSchema, Route } from '../http/types.js';
import type { DocumentedAnswer, EndpointDocs, JsonSchema } from './contract.js';
import { type DescribedResponse, describeErrors } from './error-responses.js';
import { schemas } from './schemas.js';

/** What a document says about the API as a whole. */
export interface ApiDescription {
  readonly title: string;
  readonly description: string;
  readonly securitySchemes: Readonly<Record<string, JsonSchema>>;
}

const publicApi: ApiDescription = {
  title: 'Latchkey',
  description:
    'Sign-up, sign-in, signed access tokens and rotating refresh tokens. Of an error, `error_code` is for programs and `msg` for people. docs/errors.md lists all errors.',
  securitySchemes: {
    user: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token.' },
    admin: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'A token with a role of JWT_ADMIN_ROLES, as `latchkey token` creates.',
    },
    scim: {
      type: 'http',
      scheme: 'bearer',
      description: 'A token of an identity provider or organization; also as the password of Basic authentication.',
    },
  },
};

/** API errors of every endpoint. */
const commonErrors: readonly ErrorName[] = [
  'malformedRequest',
  'requestTooLarge',
  'headersTooLarge',
  'unexpectedFailure',
  'requestTimeout',
  'databaseUnavailable',
];
const callerErrors: Readonly<Record<string, readonly ErrorName[]>> = {
  none: [],
  user: [
    'noAuthorization',
    'badJwt',
    'missingSubject',
    'subjectNotUuid',
    'sessionIdNotUuid',
    'subjectNotFound',
    'sessionNotFound',
    'userBanned',
    'audienceMismatch',
    'notAMember',
    'boundTokenUnproven',
    'unboundTokenProven',
    'holderProofInvalid',
    'holderNonceMissing',
  ],
  admin: [
    'noAuthorization',
    'badJwt',
    'sessionIdNotUuid',
    'subjectNotFound',
    'sessionNotFound',
    'userBanned',
    'notAdmin',
  ],
  scim: ['noAuthorization', 'scimTokenInvalid', 'overRequestRate'],
  operator: ['operatorSignedOut', 'operatorRoleTooLow'],
};

type Endpoint = Omit<Route<never>, 'handler'> & Omit<EndpointDocs, 'tag'> & { readonly tag: string };

/** @param endpoints all; tags are listed in the order of first use */
export function describeApi(
  endpoints: readonly Endpoint[],
  version: string,
  { title, description, securitySchemes }: ApiDescription = publicApi,
): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: describeEndpoint(endpoint),
    };
  }
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title,
      version: interfaceVersion(version),
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      securitySchemes,
    },
  };
}

/** Major and minor: patches do not change the interface and are not public (SEC-97). */
const interfaceVersion = (version: string): string => /^\d+\.\d+/.exec(version)?.[0] ?? version;

function describeEndpoint(endpoint: Endpoint): Record<string, unknown> {
  const parameters = [
    ...[...endpoint.path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string', format: 'uuid' },
    })),
    ...Object.entries(endpoint.query ?? {}).map(([name, { description, required, ...schema }]) => ({
      name,
      in: 'query',
      description,
      required: required === true,
      schema,
    })),
  ];
  const { id, tag, summary, description, caller, body } = endpoint;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: caller === 'none' ? [] : [{ [caller]: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: describeBody(endpoint, body) }),
    responses: joinResponses(
      describeErrors(collectErrors(endpoint), endpoint),
      mapValues(endpoint.answers, describeAnswer),
    ),
  };
}

/** A page may have the status of an error, which a request that is refused before it gets as well. */
function joinResponses(
  errors: Readonly<Record<string, DescribedResponse>>,
  answers: Readonly<Record<string, DescribedResponse>>,
): Record<string, DescribedResponse> {
  const joined: Record<string, DescribedResponse> = { ...errors };
  for (const [status, answer] of Object.entries(answers)) {
    const error = errors[status];
    joined[status] =
      error === undefined
        ? answer
        : {
            ...answer,
            description: `${answer.description} ${error.description}`,
            content: { ...error.content, ...answer.content },
          };
  }
  return joined;
}

const captchaFields = {
  captcha_token: { type: 'string', description: "The captcha service's answer." },
  gotrue_meta_security: { type: 'object', description: 'An object with captcha_token, as some clients send it.' },
};
const deviceFields = {
  gotrue_meta_security: {
    type: 'object',
    description: 'An object with trusted_device_token, and with captcha_token, as some clients send it.',
  },
};

function describeBody(
  { captcha, takesTrustedDevice, bodyOptional, form, scimErrors }: Endpoint,
  body: ObjectSchema,
): Record<string, unknown> {
  const properties = {
    ...body.properties,
    ...(captcha !== undefined && captchaFields),
    ...(takesTrustedDevice === true && deviceFields),
  };
  const types = [
    ...(form === undefined ? [] : ['application/x-www-form-urlencoded']),
    ...(scimErrors === true ? ['application/scim+json'] : []),
    ...(form === true ? [] : ['application/json']),
  ];
  const content = Object.fromEntries(types.map((type) => [type, { schema: { ...body, properties } }]));
  return { required: bodyOptional !== true, content };
}

function describeAnswer({ description, body, contentType = 'application/json', headers }: DocumentedAnswer) {
  return {
    description,
    ...(headers === undefined
      ? {}
      : { headers: mapValues(headers, (text) => ({ description: text, schema: { type: 'string' } })) }),
    ...(body === undefined ? {} : { content: { [contentType]: { schema: toSchema(body) } } }),
  };
}

const toSchema = (body: string | JsonSchema): JsonSchema =>
  typeof body === 'string' ? { $ref: `#/components/schemas/${body}` } : body;

/** Errors that follow from caller, limits and body, and those of the definition. */
function collectErrors({ caller, limit, captcha, body, badBody, errors, needsStepUp }: Endpoint): ErrorName[] {
  return [
    ...commonErrors,
    ...callerErrors[caller]!,
    ...(needsStepUp === true ? (['operatorStepUpNeeded'] as const) : []),
    ...(limit === undefined ? [] : (['overRequestRate'] as const)),
    ...(captcha === undefined ? [] : (['captchaMissing', 'captchaFailed', 'captchaUnavailable'] as const)),
    ...(body === undefined ? [] : ([badBody ?? 'badJson', 'numberInexact', 'bodyTimeout'] as const)),
    ...(errors ?? []),
  ];
}

function mapValues<In, Out>(from: Readonly<Record<string, In>>, change: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, change(value)]));
}
