/** The documentation in an endpoint's definition. */
import type { ErrorName } from '../errors.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** A JSON Schema with `description`; `required` if the parameter is. */
export type QueryField = Readonly<Record<string, unknown>> & { readonly description: string };

export interface DocumentedAnswer {
  readonly description: string;
  /** Name of one of the components' schemas, or a schema; absent: no body. */
  readonly body?: string | JsonSchema;
  /** Default application/json. */
  readonly contentType?: string;
  /** name → description */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface EndpointDocs {
  /** Unique; the method name in generated clients. */
  readonly id: string;
  readonly tag:
    | 'Sign-in'
    | 'Account'
    | 'Second factors'
    | 'Passkeys'
    | 'Providers'
    | 'Organizations'
    | 'Pages'
    | 'OAuth server'
    | 'Administration'
    | 'SCIM'
    | 'Server';
  /** One sentence, also shown in docs/api.md. */
  readonly summary: string;
  readonly description?: string;
  /** Query parameters by name. */
  readonly query?: Readonly<Record<string, QueryField>>;
  /** By status. */
  readonly answers: Readonly<Record<string, DocumentedAnswer>>;
  /** API errors besides those that follow from caller, limits and body. */
  readonly errors?: readonly ErrorName[];
}
