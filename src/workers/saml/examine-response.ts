/** Reads a response, or an assertion alone, past its faults, and lists them: for operators, never for a sign-in. */
import type { ExaminedSaml, SamlExaminationJob } from '../saml-wire.js';
import { Examiner } from './judge.js';
import { readBareAssertion, readHiddenAssertion, readResponse } from './read-response.js';
import { assertNotLarger, decodeMessage } from './saml-message.js';
import { ASSERTION } from './signatures.js';
import type { Xml } from './xml.js';

/** Never throws. */
export function examineResponse(xml: Xml, job: SamlExaminationJob): ExaminedSaml {
  const judge = new Examiner(job.passedOver);
  const read = () => {
    const root = xml.parse(readGiven(job.response));
    const reading = { xml, job, judge };
    const isAssertion = root.namespaceURI === ASSERTION;
    if (isAssertion && root.localName === 'Assertion') return readBareAssertion(reading, root);
    if (isAssertion && root.localName === 'EncryptedAssertion') return readHiddenAssertion(reading, root, false);
    return readResponse(reading, root);
  };
  try {
    return { assertion: read(), checks: judge.checks, refusal: judge.refusal };
  } catch (error) {
    judge.end(error);
    return { assertion: null, checks: judge.checks, refusal: judge.refusal };
  }
}

/** XML, or base64 as it stands in a form, also as the tools of browsers show it. @throws SamlError unreadable */
function readGiven(given: string): string {
  const text = given.trim();
  if (text.startsWith('<')) {
    assertNotLarger(Buffer.byteLength(text));
    return text;
  }
  const value = text.replace(/^.*?\bSAMLResponse[=:]\s*/s, '').replace(/&.*$/s, '');
  return decodeMessage({
    text: value.replace(/%(2B|2F|3D)/gi, (code) => unescaped[code.toUpperCase()]!),
    isDeflated: false,
  });
}

const unescaped: Readonly<Record<string, string>> = { '%2B': '+', '%2F': '/', '%3D': '=' };
