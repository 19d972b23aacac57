/** How a route is documented, beside what the table of routes says of it. */
import type { RefusalName } from '../errors.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface QueryParameter {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly isRequired?: boolean;
}

export interface DocumentedAnswer {
  readonly description: string;
  /** Name of one of the components' schemas, or a schema; absent: no body. */
  readonly body?: string | JsonSchema;
  /** Default application/json. */
  readonly contentType?: string;
  /** name → description */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface OperationDoc {
  /** Unique; becomes the name of a method in generated clients. */
  readonly id: string;
  readonly tag: 'Sign-in' | 'Account' | 'Providers' | 'Administration' | 'Server';
  readonly summary: string;
  readonly description?: string;
  readonly query?: readonly QueryParameter[];
  /** By status. */
  readonly answers: Readonly<Record<string, DocumentedAnswer>>;
  /** Refusals of this route, beside those that follow from its row in the table of routes. */
  readonly refusals?: readonly RefusalName[];
}
