/** What the admin API uses of providers in the database. Types only. */
import type { CustomProviderRow } from '../../../db/custom-providers.js';
import type { ExternalProfile } from '../profile-contract.js';

/** What the admin API needs to write providers in the database. */
export interface StoredProviderTools {
  /** Seals the secret of a new row, whose id is chosen here. */
  seal(secret: string): { readonly id: string; readonly sealed: string };
  /** Seals a new secret of a row. */
  reseal(id: string, secret: string): string;
  /**
   * Resolves the host of a URL, which must be on the public internet or one of OUTBOUND_PRIVATE_HOSTS.
   * @param name of the field, for the error. @throws ApiError invalidParameter
   */
  assertAddress(name: string, url: string): Promise<void>;
  /**
   * Fetches a discovery document and checks that it is about this issuer and names the needed endpoints.
   * @param discoveryUrl '': at its usual place. @returns what is stored of it. @throws ApiError invalidParameter
   */
  discover(issuer: string, discoveryUrl: string): Promise<Readonly<Record<string, unknown>>>;
  /** Calls a provider as far as that works without a browser. */
  test(row: CustomProviderRow): Promise<readonly Finding[]>;
  /**
   * Reads claims as a sign-in would: the payload of an ID token, or the answer of the userinfo endpoint.
   * @throws ApiError invalidParameter when they have no usable subject
   */
  preview(row: CustomProviderRow, claims: Readonly<Record<string, unknown>>): ExternalProfile;
}

/** One result of a test without a browser. */
export interface Finding {
  readonly kind: 'fine' | 'wrong' | 'hint';
  /** One or two sentences; a problem comes with its solution. */
  readonly text: string;
}
