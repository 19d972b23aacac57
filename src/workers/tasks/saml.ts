/** The tasks of the SAML thread. */

import { sign } from 'node:crypto';
import { examineResponse } from '../saml/examine-response.js';
import { readMetadata } from '../saml/idp-metadata.js';
import { verifyLogout } from '../saml/read-logout.js';
import { verifyResponse } from '../saml/read-response.js';
import { peekMessage } from '../saml/saml-message.js';
import { loadXml } from '../saml/xml.js';
import type {
  ExaminedSaml,
  RefusedSaml,
  SamlAssertion,
  SamlExaminationJob,
  SamlLogout,
  SamlLogoutJob,
  SamlMessage,
  SamlMetadata,
  SamlResponseJob,
  SamlSignatureJob,
  UnusableMetadata,
  UnverifiedMessage,
} from '../saml-wire.js';

export interface SamlTasks {
  verify(job: SamlResponseJob): SamlAssertion | RefusedSaml;
  examine(job: SamlExaminationJob): ExaminedSaml;
  verifyLogout(job: SamlLogoutJob): SamlLogout | RefusedSaml;
  peek(message: SamlMessage): UnverifiedMessage | RefusedSaml;
  readMetadata(text: string): SamlMetadata | UnusableMetadata;
  /** @returns the signature in base64, or the signed XML */
  sign(job: SamlSignatureJob): string;
}

export function loadSaml(): SamlTasks {
  const xml = loadXml();
  return {
    verify: (job) => verifyResponse(xml, job),
    examine: (job) => examineResponse(xml, job),
    verifyLogout: (job) => verifyLogout(xml, job),
    peek: (message) => peekMessage(xml, message),
    readMetadata: (text) => readMetadata(xml, text),
    sign: ({ text, isXml, key }) =>
      isXml ? xml.sign(text, key) : sign('sha256', Buffer.from(text), key).toString('base64'),
  };
}
