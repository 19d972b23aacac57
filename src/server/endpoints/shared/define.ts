/** The definition of an endpoint, which router, OpenAPI, docs/api.md and tests read. */

import type { CallerKind as AnyCaller, ApiRequest, ClientLimit, Reply, Route } from '../../http/types.js';
import type { EndpointDocs } from '../../openapi/contract.js';
import type { App } from '../../runtime/app.js';
import type { ScimCaller } from '../../scim/scim-caller.js';
import type { AdminCaller } from '../../sessions/administrator.js';
import type { UserCaller } from '../../sessions/caller.js';
import type { BodySchema } from './fields.js';

/** Operators call the console only. */
type CallerKind = Exclude<AnyCaller, 'operator'>;

export type Endpoint = Route<App> & EndpointDocs & { readonly caller: CallerKind };

type QueryFields = NonNullable<Endpoint['query']>;

interface Callers {
  readonly none: undefined;
  readonly user: UserCaller;
  readonly admin: AdminCaller;
  readonly scim: ScimCaller;
}

/** `{user_id}` of `/admin/users/{user_id}` */
type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamsOf<Rest>
  : never;

type RequestOf<Path extends string, Caller extends CallerKind, Body, Query extends QueryFields> = ApiRequest<
  Body,
  Callers[Caller],
  keyof Query & string,
  ParamsOf<Path>
>;

interface Definition<Path extends string, Caller extends CallerKind, Body, Query extends QueryFields>
  extends Omit<
    Endpoint,
    'path' | 'caller' | 'secondFactor' | 'body' | 'query' | 'limit' | 'captcha' | 'assertCaller' | 'handler'
  > {
  readonly path: Path;
  readonly caller: Caller;
  readonly body?: BodySchema<Body>;
  readonly query?: Query;
  readonly limit?: ClientLimit | ((request: ApiRequest<Body>) => ClientLimit);
  readonly captcha?: true | ((request: ApiRequest<Body, unknown, keyof Query & string>) => boolean);
  readonly assertCaller?: (app: App, request: ApiRequest<unknown, Callers[Caller]>) => Promise<void>;
  readonly handler: (app: App, request: RequestOf<Path, Caller, Body, Query>) => Promise<Reply> | Reply;
}

/** Every endpoint of a user says this, so that none is forgotten. */
type Guarded = Required<Pick<Endpoint, 'secondFactor'>>;

/** Derives the type of the handler's request from path, caller, body and query. */
export const defineEndpoint = <
  Path extends string,
  Caller extends CallerKind,
  Body = undefined,
  const Query extends QueryFields = Record<never, never>,
>(
  definition: Definition<Path, Caller, Body, Query> & (Caller extends 'user' ? Guarded : unknown),
): Endpoint => definition as unknown as Endpoint;
