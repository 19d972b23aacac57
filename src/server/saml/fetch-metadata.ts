import { apiError } from '../errors.js';
import { callOut, type OutboundAnswer, OutboundError } from '../outbound/outbound.js';
import type { TestInternet } from '../outbound/public-address.js';

const TOTAL_SECONDS = 5;
const MAX_BYTES = 1_048_576;

export interface SamlMetadataSource {
  /**
   * Reads the metadata of an identity provider, behind the guard against addresses on private networks.
   * @param url https
   * @throws ApiError samlMetadataFetchFailed
   */
  read(url: string): Promise<string>;
}

export function openSamlMetadata(
  config: { readonly outboundPrivateHosts: readonly string[] },
  testInternet: TestInternet | undefined,
): SamlMetadataSource {
  return {
    async read(url) {
      const failed = (reason: string, cause?: unknown) =>
        apiError(
          'samlMetadataFetchFailed',
          { reason: `${reason} fetching SAML Metadata from URL '${url}'` },
          { cause },
        );
      let answer: OutboundAnswer;
      try {
        answer = await callOut({
          url,
          headers: { Accept: 'application/samlmetadata+xml, application/xml;q=0.9, */*;q=0.1' },
          totalSeconds: TOTAL_SECONDS,
          maxAnswerBytes: MAX_BYTES,
          followsRedirects: false,
          privateHosts: config.outboundPrivateHosts,
          testInternet,
        });
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error;
        throw failed(`${error.message}:`, error);
      }
      if (answer.status !== 200) throw failed(`HTTP ${answer.status} error`);
      return answer.text;
    },
  };
}
