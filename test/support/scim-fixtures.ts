import { readSource } from './source-tree.js';

/** A step of a provisioning cycle. `{{name}}` is what an earlier step kept. */
export interface ScimStep {
  readonly does: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly status: number;
  /** What the answer has, besides other members. */
  readonly expect?: unknown;
  /** Name → place in the answer. */
  readonly keep?: Readonly<Record<string, string>>;
}

/** Written by hand after the documentation of the identity provider. */
export const readScimFixture = (provider: 'entra' | 'okta'): readonly ScimStep[] =>
  JSON.parse(readSource(`test/scim/fixtures/${provider}.json`).text);
