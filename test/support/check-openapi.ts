/** The rules of OpenAPI 3.1 that matter here, and rules of our own for readers. */
import { Ajv2020 } from 'ajv/dist/2020.js';

// biome-ignore lint/suspicious/noExplicitAny: the document is under test.
type Json = any;

const text = { type: 'string', minLength: 1 } as const;
const header = {
  type: 'object',
  required: ['schema'],
  properties: { description: text, schema: { type: 'object' } },
  additionalProperties: false,
} as const;
const content = {
  type: 'object',
  minProperties: 1,
  propertyNames: { pattern: '^[a-z]+/[a-z0-9.+-]+$' },
  additionalProperties: {
    type: 'object',
    required: ['schema'],
    properties: { schema: { type: 'object' } },
    additionalProperties: false,
  },
} as const;
const operation = {
  type: 'object',
  required: ['operationId', 'tags', 'summary', 'security', 'responses'],
  properties: {
    operationId: { type: 'string', pattern: '^[a-z][A-Za-z]+$' },
    tags: { type: 'array', minItems: 1, items: text },
    summary: text,
    description: text,
    security: { type: 'array', items: { type: 'object', additionalProperties: { type: 'array', items: text } } },
    parameters: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'in', 'required', 'schema'],
        properties: {
          name: text,
          in: { enum: ['path', 'query', 'header'] },
          description: text,
          required: { type: 'boolean' },
          schema: { type: 'object' },
        },
        additionalProperties: false,
      },
    },
    requestBody: {
      type: 'object',
      required: ['content'],
      properties: { required: { type: 'boolean' }, content },
      additionalProperties: false,
    },
    responses: {
      type: 'object',
      minProperties: 1,
      propertyNames: { pattern: '^[1-5][0-9]{2}$' },
      additionalProperties: {
        type: 'object',
        required: ['description'],
        properties: { description: text, headers: { type: 'object', additionalProperties: header }, content },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
} as const;
const document = {
  type: 'object',
  required: ['openapi', 'info', 'paths', 'components'],
  properties: {
    openapi: { const: '3.1.0' },
    jsonSchemaDialect: { const: 'https://json-schema.org/draft/2020-12/schema' },
    info: { type: 'object', required: ['title', 'version'], properties: { title: text, version: text } },
    servers: { type: 'array', items: { type: 'object', required: ['url'] } },
    tags: { type: 'array', items: { type: 'object', required: ['name'] } },
    paths: {
      type: 'object',
      propertyNames: { pattern: '^/' },
      additionalProperties: {
        type: 'object',
        minProperties: 1,
        propertyNames: { enum: ['get', 'put', 'post', 'delete', 'patch'] },
        additionalProperties: operation,
      },
    },
    components: {
      type: 'object',
      required: ['schemas', 'securitySchemes'],
      properties: {
        schemas: { type: 'object', additionalProperties: { type: 'object' } },
        securitySchemes: {
          type: 'object',
          additionalProperties: {
            type: 'object',
            required: ['type'],
            anyOf: [
              { properties: { type: { const: 'http' } }, required: ['scheme'] },
              { properties: { type: { const: 'apiKey' } }, required: ['in', 'name'] },
            ],
          },
        },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
} as const;

/** @returns a checker of values against a schema of the document's components */
export function openSchemas(api: Json): (schema: Json, value: unknown) => string[] {
  const ajv = new Ajv2020({
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    allErrors: true,
    validateFormats: false,
  });
  ajv.addVocabulary(['components']);
  ajv.addSchema({ $id: 'api', components: api.components });
  const rooted = (schema: Json): Json =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/'));
  const compiled = new WeakMap<object, ReturnType<typeof ajv.compile>>();
  return (schema, value) => {
    const validate = compiled.get(schema) ?? ajv.compile(rooted(schema));
    compiled.set(schema, validate);
    return validate(value) === true
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
}

/** @returns one sentence for each violation */
export function findApiFaults(api: Json): string[] {
  const faults: string[] = [];
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  if (!ajv.validate(document, api)) {
    return (ajv.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  }
  for (const [, reference] of JSON.stringify(api).matchAll(/"\$ref":"([^"]+)"/g)) {
    const found = reference!
      .slice(2)
      .split('/')
      .reduce((at: Json, key) => at?.[key], api);
    if (!reference!.startsWith('#/') || found === undefined) faults.push(`${reference} leads nowhere`);
  }
  const ids = new Set<string>();
  const tags = new Set(api.tags.map(({ name }: Json) => name));
  for (const [path, methods] of Object.entries<Json>(api.paths)) {
    for (const [method, doc] of Object.entries<Json>(methods)) {
      const fault = (words: string) => faults.push(`${method.toUpperCase()} ${path} ${words}`);
      if (ids.has(doc.operationId)) fault(`is another ${doc.operationId}`);
      ids.add(doc.operationId);
      const parameters: Json[] = doc.parameters ?? [];
      const names = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
      if (new Set(names).size < names.length) fault('has a parameter twice');
      const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
      const declared = parameters.filter((parameter) => parameter.in === 'path');
      if (inPath.join() !== declared.map(({ name }) => name).join())
        fault('does not declare the parameters of its path');
      if (!declared.every(({ required }) => required)) fault('has a parameter of its path that is not required');
      if (!doc.tags.every((tag: string) => tags.has(tag))) fault('has an undeclared tag');
      for (const scheme of doc.security.flatMap(Object.keys)) {
        if (!Object.hasOwn(api.components.securitySchemes, scheme)) fault(`requires ${scheme}, which is no scheme`);
      }
      for (const [name, schema] of Object.entries<Json>(
        Object.values<Json>(doc.requestBody?.content ?? {})[0]?.schema.properties ?? {},
      )) {
        if (schema.description === undefined) fault(`does not describe ${name}`);
      }
    }
  }
  if (faults.length > 0) return faults;
  const check = openSchemas(api);
  for (const name of Object.keys(api.components.schemas)) check({ $ref: `#/components/schemas/${name}` }, null);
  return faults;
}
