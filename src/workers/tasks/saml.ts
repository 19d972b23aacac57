/** The tasks of the SAML thread. */

import { readMetadata } from '../saml/idp-metadata.js';
import { peekResponse, verifyResponse } from '../saml/read-response.js';
import { loadXml } from '../saml/xml.js';
import type {
  RefusedSaml,
  SamlAssertion,
  SamlMetadata,
  SamlResponseJob,
  UnusableMetadata,
  UnverifiedResponse,
} from '../saml-wire.js';

export interface SamlTasks {
  verify(job: SamlResponseJob): Promise<SamlAssertion | RefusedSaml>;
  peek(response: string): UnverifiedResponse | RefusedSaml;
  readMetadata(text: string): SamlMetadata | UnusableMetadata;
}

export function loadSaml(): SamlTasks {
  const xml = loadXml();
  return {
    verify: (job) => verifyResponse(xml, job),
    peek: (response) => peekResponse(xml, response),
    readMetadata: (text) => readMetadata(xml, text),
  };
}
