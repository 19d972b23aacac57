/**
 * What the page "Try the API" shows of an OpenAPI document, and the requests that its forms make. It runs in the browser, as part of the
 * site, and imports nothing.
 */

export interface ApiField {
  readonly name: string;
  readonly in: 'path' | 'query' | 'body';
  readonly description: string;
  readonly isRequired: boolean;
  /** `json`: an object or an array, written as JSON. */
  readonly kind: 'text' | 'number' | 'boolean' | 'json';
  /** Empty: any text. */
  readonly choices: readonly string[];
}

export interface ApiOperation {
  readonly id: string;
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** Whose token it asks for; null: nobody's. */
  readonly caller: string | null;
  readonly fields: readonly ApiField[];
  /** Null: it takes no body. */
  readonly bodyType: string | null;
}

/** By `in` and name of the field, joined by a colon; empty: left out. */
export type FieldTexts = Readonly<Record<string, string | undefined>>;

export interface ApiRequestParts {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly description?: string;
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

/** What is used here of OpenAPI 3.1. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
}

export const keyOf = (field: ApiField): string => `${field.in}:${field.name}`;

/** @returns all operations, in the order of the document */
export function listOperations({ paths }: ApiDocument): ApiOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): ApiOperation => {
      const { operationId, tags, summary, security = [], parameters = [], requestBody } = operation;
      const [content] = Object.entries(requestBody?.content ?? {});
      const given = parameters.flatMap(({ name, in: place, description = '', required = false, schema }) =>
        place === 'path' || place === 'query' ? [describeField(name, place, required, { description, ...schema })] : [],
      );
      const { properties = {}, required: needed = [] } = content?.[1].schema ?? {};
      const sent = Object.entries(properties).map(([name, schema]) =>
        describeField(name, 'body', needed.includes(name), schema),
      );
      return {
        ...{ id: operationId, method: method.toUpperCase(), path, tag: tags[0] ?? '', summary },
        ...{ caller: Object.keys(security[0] ?? {})[0] ?? null, bodyType: content?.[0] ?? null },
        // What is required first.
        fields: [...given, ...sent].sort((one, other) => Number(other.isRequired) - Number(one.isRequired)),
      };
    }),
  );
}

function describeField(name: string, place: ApiField['in'], isRequired: boolean, schema: Schema): ApiField {
  const { type, description = '', enum: choices = [] } = schema;
  const types: readonly (string | undefined)[] = type === undefined || typeof type === 'string' ? [type] : type;
  const kind =
    types.includes('string') || types.includes(undefined)
      ? 'text'
      : types.includes('boolean')
        ? 'boolean'
        : types.includes('integer') || types.includes('number')
          ? 'number'
          : 'json';
  return {
    name,
    in: place,
    description,
    isRequired: isRequired || place === 'path',
    kind,
    choices: choices.map(String),
  };
}

/**
 * @param server address, without a slash at its end
 * @param token empty: none is sent
 * @throws Error that names the field which is missing, or is no JSON
 */
export function buildRequest(
  operation: ApiOperation,
  texts: FieldTexts,
  server: string,
  token: string,
): ApiRequestParts {
  const { method, fields, bodyType, caller } = operation;
  let path = operation.path;
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  for (const field of fields) {
    const text = texts[keyOf(field)] ?? '';
    if (text === '' && field.in === 'path') throw new Error(`${field.name} is missing`);
    if (text === '') continue;
    if (field.in === 'path') path = path.replace(`{${field.name}}`, encodeURIComponent(text));
    else if (field.in === 'query') query.append(field.name, text);
    else body[field.name] = readValue(field, text);
  }
  const isSent = bodyType !== null && (Object.keys(body).length > 0 || method !== 'DELETE');
  return {
    method,
    url: `${server}${path}${query.size > 0 ? `?${query}` : ''}`,
    headers: {
      ...(isSent && { 'Content-Type': bodyType }),
      ...(token !== '' && caller !== null && { Authorization: `Bearer ${token}` }),
    },
    body: isSent ? writeBody(bodyType, body) : undefined,
  };
}

function readValue({ name, kind }: ApiField, text: string): unknown {
  if (kind === 'text') return text;
  if (kind === 'boolean') return text === 'true';
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${name} has to be ${kind === 'number' ? 'a number' : 'JSON'}`);
  }
}

function writeBody(type: string, body: Readonly<Record<string, unknown>>): string {
  if (type !== 'application/x-www-form-urlencoded') return JSON.stringify(body);
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) query.append(name, String(value));
  return query.toString();
}

/** The same request for a shell. */
export function renderCurl({ method, url, headers, body }: ApiRequestParts): string {
  const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quote(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quote(body)}`]),
  ].join(' \\\n  ');
}
