/** The definition of an endpoint of the console, which its router, its OpenAPI document and tests read. */

import type { ApiRequest, ObjectSchema, OperatorRole, Reply, Route } from '../http/types.js';
import type { DocumentedAnswer, EndpointDocs, JsonSchema } from '../openapi/contract.js';
import type { App } from '../runtime/app.js';
import type { OperatorCaller } from './operator.js';

export type ConsoleTag =
  | 'Sign-in'
  | 'Operators'
  | 'Users'
  | 'Activity'
  | 'Settings'
  | 'Mail'
  | 'Limits'
  | 'Keys'
  | 'Events'
  | 'Hooks'
  | 'OAuth clients'
  | 'Companies'
  | 'Organizations'
  | 'Overview'
  | 'Requests';

export type ConsoleEndpoint = Route<App> & Omit<EndpointDocs, 'tag'> & { readonly tag: ConsoleTag };

type QueryFields = NonNullable<EndpointDocs['query']>;

/** `{user_id}` of `/api/users/{user_id}` */
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

interface Definition<Path extends string, Role extends OperatorRole | 'none', Body, Query extends QueryFields>
  extends Pick<
    ConsoleEndpoint,
    'method' | 'assertOn' | 'maxBodyBytes' | 'bodyOptional' | 'id' | 'tag' | 'summary' | 'description' | 'errors'
  > {
  readonly path: Path;
  /** The least role that may call; `none`: no operator is signed in yet. */
  readonly role: Role;
  /** True where the operator must have shown a passkey or a code within the last ten minutes. */
  readonly stepUp?: true;
  readonly body?: ConsoleBody<Body>;
  readonly query?: Query;
  /** The answer of success. */
  readonly answer: DocumentedAnswer & { readonly status?: number };
  readonly handler: (
    app: App,
    request: ApiRequest<Body, Role extends 'none' ? undefined : OperatorCaller, keyof Query & string, NamesIn<Path>>,
  ) => Promise<Reply> | Reply;
}

/** Derives the type of the handler's request from path, role, body and query. */
export const defineConsole = <
  Path extends string,
  Role extends OperatorRole | 'none',
  Body = undefined,
  const Query extends QueryFields = Record<never, never>,
>({
  role,
  stepUp,
  answer: { status = 200, ...answer },
  ...rest
}: Definition<Path, Role, Body, Query>): ConsoleEndpoint =>
  ({
    ...rest,
    caller: role === 'none' ? 'none' : 'operator',
    ...(role !== 'none' && { role }),
    ...(stepUp && { needsStepUp: true }),
    answers: { [status]: answer },
  }) as unknown as ConsoleEndpoint;

/** A schema with the type of valid bodies. */
type ConsoleBody<Body> = ObjectSchema & { readonly bodyType?: Body };

type ValueOfField<Field> = Field extends { enum: readonly (infer Value)[] }
  ? Value
  : Field extends { type: 'string' }
    ? string
    : Field extends { type: 'boolean' }
      ? boolean
      : Field extends { type: 'integer' | 'number' }
        ? number
        : Field extends { type: 'array'; items: infer Item }
          ? readonly ValueOfField<Item>[]
          : Readonly<Record<string, unknown>>;

/** json-schema-to-ts finds the same types, but takes minutes for schemas that are made of shared fields. */
type ValueOfBody<Fields, Required extends string> = {
  readonly [Name in keyof Fields as Name extends Required ? Name : never]: ValueOfField<Fields[Name]>;
} & {
  readonly [Name in keyof Fields as Name extends Required ? never : Name]?: ValueOfField<Fields[Name]>;
};

/** The schema of a body. @param required names of the fields that must be there */
export const consoleBody = <
  const Fields extends Readonly<Record<string, object>>,
  const Required extends keyof Fields & string = never,
>(
  properties: Fields,
  ...required: readonly Required[]
): ConsoleBody<ValueOfBody<Fields, Required>> => ({ type: 'object', properties, required });

export const textField = (description: string) => ({ type: 'string', description }) as const;

/** Why an operator does something; part of the audit entry. */
export const reasonField = {
  reason: { type: 'string', maxLength: 500, description: 'Why; part of the audit entry.' },
} as const;

/** An object all of whose members are there. */
export const objectOf = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
export const orNull = (type: string): JsonSchema => ({ type: [type, 'null'] });
