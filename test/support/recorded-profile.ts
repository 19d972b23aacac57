/** Reads a profile from recorded responses, without a server. */

import { MissingSubject } from '../../src/server/providers/claims.js';
import type { ExternalProfile, OAuth2Spec } from '../../src/server/providers/contract.js';
import type { Test } from './tap.js';

export interface Recording {
  /** Responses of the API, by URL with query. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** EXTERNAL_X_URL. */
  readonly url?: string;
  /** Members of the token response besides the token `tok1`. */
  readonly token?: Readonly<Record<string, unknown>>;
}

export interface RecordedCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** @returns the profile, and the requests made for it. @throws for a URL without a recorded response */
export async function readRecorded(
  provider: OAuth2Spec,
  { answers, url, token = {} }: Recording,
): Promise<{ profile: ExternalProfile; calls: RecordedCall[] }> {
  const calls: RecordedCall[] = [];
  const profile = await provider.readProfile({
    settings: {
      name: 'recorded',
      enabled: true,
      clientIds: ['cid'],
      secret: 'the-secret',
      redirectUri: 'http://localhost/callback',
      url: url ?? '',
      emailOptional: false,
      skipNonceCheck: false,
    },
    clientId: 'cid',
    endpoints: provider.endpoints(url ?? null),
    token: { access_token: 'tok1', ...token },
    parameters: new Map(),
    async getJson(address, headers = {}) {
      calls.push({ url: address, headers });
      if (!Object.hasOwn(answers, address)) throw new Error(`nothing was recorded for ${address}`);
      return answers[address];
    },
  });
  return { profile, calls };
}

/** Ids that must not sign in (SEC-63). */
export const badSubjects: readonly unknown[] = [undefined, null, '', ' \t', 0, false, true, {}, [], ['1'], Number.NaN];

/**
 * @param recordingOf the recorded responses with that id
 * @param more further ids that this provider never issues
 */
export async function refusesSubjects(
  t: Test,
  provider: OAuth2Spec,
  recordingOf: (subject: unknown) => Recording,
  more: readonly unknown[] = [7],
): Promise<void> {
  for (const subject of [...badSubjects, ...more]) {
    await t.rejects(readRecorded(provider, recordingOf(subject)), MissingSubject, `${JSON.stringify(subject)}`);
  }
}

/** Invalid ids of providers with numeric ids: no positive safe integer. */
export const badNumbers: readonly unknown[] = [-1, 1.5, 2 ** 53, Number.POSITIVE_INFINITY];
