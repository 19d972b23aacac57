/** The interface as OpenAPI 3.1, made from the table of routes, the catalogue of refusals and one entry a route. */
import { catalogue, type RefusalName } from '../errors.js';
import type { ObjectSchema, Route } from '../http/types.js';
import type { DocumentedAnswer, JsonSchema, OperationDoc } from './contract.js';
import { fieldDescriptions } from './fields.js';
import { operations } from './operations.js';
import { schemas } from './schemas.js';

const INTRODUCTION =
  'Sign-up, sign-in, signed access tokens and rotating refresh tokens. Programs should look at `error_code` of a refusal, people at `msg`. docs/errors.md has all refusals.';

/** What every route may answer, with or without a caller. */
const everywhere: readonly RefusalName[] = [
  'malformedRequest',
  'requestTooLarge',
  'headersTooLarge',
  'unexpectedFailure',
  'requestTimeout',
  'databaseUnavailable',
];
const ofCallers: Readonly<Record<string, readonly RefusalName[]>> = {
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
};

type Row = Pick<Route<never>, 'method' | 'path' | 'auth' | 'limit' | 'captcha' | 'body' | 'bodyOptional' | 'badBody'>;

/**
 * @param routes the table of routes
 * @throws Error when a route is not documented
 */
export function describeApi(routes: readonly Row[], version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const row of routes) {
    const doc = operations[`${row.method} ${row.path}`];
    if (doc === undefined)
      throw new Error(`${row.method} ${row.path} has no entry in src/server/openapi/operations.ts`);
    paths[row.path] = { ...paths[row.path], [row.method.toLowerCase()]: describeOperation(row, doc) };
  }
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title: 'Latchkey',
      version: interfaceVersion(version),
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(Object.values(operations).map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        user: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token.' },
        admin: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'A token whose role is one of JWT_ADMIN_ROLES, as `latchkey token` makes.',
        },
      },
    },
  };
}

/** Major and minor: a patch does not change the interface, and need not be known to all (SEC-97). */
const interfaceVersion = (version: string): string => /^\d+\.\d+/.exec(version)?.[0] ?? version;

function describeOperation(row: Row, doc: OperationDoc): Record<string, unknown> {
  const parameters = [
    ...[...row.path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string', format: 'uuid' },
    })),
    ...(doc.query ?? []).map(({ name, description, schema, isRequired }) => ({
      name,
      in: 'query',
      description,
      required: isRequired === true,
      schema,
    })),
  ];
  return {
    operationId: doc.id,
    tags: [doc.tag],
    summary: doc.summary,
    ...(doc.description === undefined ? {} : { description: doc.description }),
    security: row.auth === 'none' ? [] : [{ [row.auth]: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(row.body === undefined ? {} : { requestBody: describeBody(row, row.body) }),
    responses: { ...describeRefusals(refusalsOf(row, doc)), ...mapValues(doc.answers, describeAnswer) },
  };
}

function describeBody(row: Row, body: ObjectSchema): Record<string, unknown> {
  const captcha =
    row.captcha === undefined ? {} : { captcha_token: { type: 'string' }, gotrue_meta_security: { type: 'object' } };
  const properties = Object.entries({ ...body.properties, ...captcha }).map(([name, schema]) => [
    name,
    fieldDescriptions[name] === undefined ? schema : { ...schema, description: fieldDescriptions[name] },
  ]);
  const schema = { ...body, properties: Object.fromEntries(properties) };
  return { required: row.bodyOptional !== true, content: { 'application/json': { schema } } };
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

/** What follows from the row itself, and what its entry adds. */
function refusalsOf(row: Row, doc: OperationDoc): RefusalName[] {
  return [
    ...everywhere,
    ...ofCallers[row.auth]!,
    ...(row.limit === undefined ? [] : (['overRequestRate'] as const)),
    ...(row.captcha === undefined ? [] : (['captchaMissing', 'captchaFailed', 'captchaUnavailable'] as const)),
    ...(row.body === undefined ? [] : ([row.badBody ?? 'badJson', 'bodyTimeout'] as const)),
    ...(doc.refusals ?? []),
  ];
}

/** One response a status, with the codes and texts it may bring. */
function describeRefusals(names: readonly RefusalName[]): Record<string, unknown> {
  const byStatus = new Map<number, Set<string>>();
  for (const name of new Set(names)) {
    const [status, code, message] = catalogue[name];
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(`\`${code}\` ${message}`));
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, lines]) => {
        const retry = { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } };
        return [
          String(status),
          {
            description: [...lines].join('; '),
            ...(status === 429 || status === 503 ? { headers: retry } : {}),
            content: { 'application/json': { schema: toSchema('Error') } },
          },
        ];
      }),
  );
}

function mapValues<In, Out>(from: Readonly<Record<string, In>>, change: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, change(value)]));
}
