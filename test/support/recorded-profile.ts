/** Reads a profile from answers that were written down, without a server (reference/providers.md 3.9). */
import type { Test } from 'tap';
import { MissingSubject } from '../../src/server/providers/claims.js';
import type { ExternalProfile, OAuth2Spec } from '../../src/server/providers/contract.js';

export interface Recording {
  /** What the API answers, by URL with its query as it is asked for. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** EXTERNAL_X_URL. */
  readonly url?: string;
  /** What the token endpoint said besides the token `tok1`. */
  readonly token?: Readonly<Record<string, unknown>>;
}

export interface Asked {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** @returns the profile, and what was asked for it; a URL that is not among the answers fails the reading */
export async function readRecorded(
  provider: OAuth2Spec,
  { answers, url, token = {} }: Recording,
): Promise<{ profile: ExternalProfile; asked: Asked[] }> {
  const asked: Asked[] = [];
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
      asked.push({ url: address, headers });
      if (!Object.hasOwn(answers, address)) throw new Error(`nothing was recorded for ${address}`);
      return answers[address];
    },
  });
  return { profile, asked };
}

/** Ids that nobody may sign in with (SEC-63). */
export const badSubjects: readonly unknown[] = [undefined, null, '', ' \t', 0, false, true, {}, [], ['1'], Number.NaN];

/**
 * @param recordingOf the answers with that id in them
 * @param more further ids that the provider has none of
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

/** Ids where a provider counts: what is no positive whole number that JSON can hold. */
export const badNumbers: readonly unknown[] = [-1, 1.5, 2 ** 53, Number.POSITIVE_INFINITY];
