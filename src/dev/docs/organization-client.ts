/** What clients/organizations knows of the API: its types, and a table of the endpoints. */
import { endpoints } from '../../server/endpoints/index.js';
import { describeApi } from '../../server/openapi/document.js';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

interface Content {
  readonly content?: { readonly 'application/json'?: { readonly schema: Schema } };
}

interface ApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

interface Api {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const HEAD = `/** Generated from the description of the API by \`npm run docs\`; do not edit by hand. */

/** One endpoint: where the members of what is given go. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  /** Null: none is sent. */
  readonly body: readonly string[] | null;
}
`;
const OF_ORGANIZATIONS =
  /^\/(?:organizations|invitations|admin\/organizations|admin\/organization-roles)(?:\/|$)|^\/admin\/users\/\{user_id\}\/organizations$/;

/** The content of clients/organizations/operations.ts. */
export function renderOrganizationClient(): string {
  const api = JSON.parse(JSON.stringify(describeApi(endpoints, 'as released'))) as Api;
  const all = Object.entries(api.paths)
    .filter(([path]) => OF_ORGANIZATIONS.test(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    );
  const used = new Set<string>();
  const ofUsers = all.filter(({ path }) => !path.startsWith('/admin/'));
  const ofAdmins = all.filter(({ path }) => path.startsWith('/admin/'));
  const tables = [
    renderTable('UserOperations', 'userOperations', 'Endpoints for users.', ofUsers, used),
    renderTable('AdminOperations', 'adminOperations', 'Endpoints for administrators.', ofAdmins, used),
  ];
  return [HEAD, ...renderSchemas(api.components.schemas, used), ...tables].join('\n');
}

/** A schema may name others, which join the set meanwhile. */
function renderSchemas(schemas: Api['components']['schemas'], used: Set<string>): string[] {
  const texts = new Map<string, string>();
  for (const name of used) {
    const type = typeOf(schemas[name]!, '', used);
    texts.set(name, type.startsWith('{') ? `export interface ${name} ${type}\n` : `export type ${name} = ${type};\n`);
  }
  return [...texts.keys()].sort().map((name) => texts.get(name)!);
}

type Listed = { readonly method: string; readonly path: string; readonly operation: ApiOperation };

function renderTable(type: string, name: string, about: string, listed: readonly Listed[], used: Set<string>): string {
  const methods = listed.map(({ operation }) => renderMethod(operation, used)).join('');
  const rows = listed.map(renderRow).join('');
  return (
    `/** ${about} */\nexport interface ${type} {\n${methods}}\n\n` +
    `export const ${name}: Readonly<Record<keyof ${type}, Operation>> = {\n${rows}};\n`
  );
}

function renderMethod(operation: ApiOperation, used: Set<string>): string {
  const { operationId, summary, parameters = [], responses } = operation;
  const given: Record<string, Schema> = { ...bodyOf(operation)?.properties };
  const required: string[] = [];
  for (const { name, in: place, description, schema } of parameters) {
    given[name] = { ...schema, ...(description !== undefined && { description }) };
    if (place === 'path') required.push(name);
  }
  const mark = required.length === 0 ? '?' : '';
  const argument =
    Object.keys(given).length === 0 ? '' : `given${mark}: ${typeOf({ properties: given, required }, '  ', used)}`;
  const answers = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, answer]) => answer.content?.['application/json']?.schema);
  const results = new Set(answers.map((schema) => (schema === undefined ? 'void' : typeOf(schema, '  ', used))));
  return `  /** ${summary} */\n  ${operationId}(${argument}): Promise<${[...results].join(' | ')}>;\n`;
}

const bodyOf = ({ requestBody }: ApiOperation): Schema | undefined =>
  requestBody?.content?.['application/json']?.schema;

function renderRow({ method, path, operation }: Listed): string {
  const query = (operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name);
  const body = bodyOf(operation);
  const names = (list: readonly string[]): string => `[${list.map(literal).join(', ')}]`;
  const sent = body === undefined ? 'null' : names(Object.keys(body.properties ?? {}));
  return (
    `  ${operation.operationId}: {\n    method: ${literal(method)},\n    path: ${literal(path)},\n` +
    `    query: ${names(query)},\n    body: ${sent},\n  },\n`
  );
}

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : JSON.stringify(value);

/** @param used gets the names of schemas that the type names */
function typeOf(schema: Schema, indent: string, used: Set<string>): string {
  const { $ref, oneOf, enum: values, const: only, properties, type } = schema;
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf('/') + 1);
    used.add(name);
    return name;
  }
  if (oneOf !== undefined) return oneOf.map((one) => typeOf(one, indent, used)).join(' | ');
  if (only !== undefined) return literal(only);
  if (values !== undefined) return values.map(literal).join(' | ');
  if (properties !== undefined) {
    const object = objectOf(properties, schema.required ?? [], indent, used);
    return [type].flat().includes('null') ? `${object} | null` : object;
  }
  return [type ?? 'unknown']
    .flat()
    .map((kind) => plainType(kind, schema, indent, used))
    .join(' | ');
}

function plainType(kind: string, { items }: Schema, indent: string, used: Set<string>): string {
  if (kind === 'integer') return 'number';
  if (kind === 'object') return 'Record<string, unknown>';
  if (kind !== 'array') return kind;
  const entry = items === undefined ? 'unknown' : typeOf(items, indent, used);
  return /^\w+$/.test(entry) ? `${entry}[]` : `Array<${entry}>`;
}

function objectOf(
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[],
  indent: string,
  used: Set<string>,
): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, schema]) => {
    const about = schema.description === undefined ? '' : `${inner}/** ${schema.description} */\n`;
    const type = typeOf(schema, inner, used);
    return `${about}${inner}${name}${required.includes(name) ? `: ${type}` : `?: ${type} | undefined`};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}
