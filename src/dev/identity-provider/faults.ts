/** Answers that the server must refuse, to see what comes of them. */

interface Fault {
  readonly label: string;
  /** What the log of the server names it. */
  readonly code: string;
}

export const responseFaults = {
  audience: { label: 'For another audience', code: 'saml_audience_mismatch' },
  recipient: { label: 'For another address', code: 'saml_recipient' },
  expired: { label: 'Expired an hour ago', code: 'saml_expired' },
  unsigned: { label: 'Not signed', code: 'saml_signature_invalid' },
  'other-key': { label: 'Signed with another key', code: 'saml_signature_invalid' },
  changed: { label: 'Changed after it was signed', code: 'saml_signature_invalid' },
  'response-to': { label: 'Answers another request', code: 'saml_response_to' },
  status: { label: 'The provider refuses', code: 'saml_status' },
  'no-address': { label: 'Without an address', code: 'saml_assertion_no_email' },
} as const satisfies Record<string, Fault>;

export type ResponseFault = keyof typeof responseFaults;

/** @returns null for none, or one that is not known */
export const readFault = (text: string | undefined): ResponseFault | null =>
  text !== undefined && Object.hasOwn(responseFaults, text) ? (text as ResponseFault) : null;
