/** What the steps of a trace are called, and their gist. */

type Detail = Readonly<Record<string, unknown>>;

const titles: Readonly<Record<string, string>> = {
  authorize: 'Sent to the provider',
  discovery: 'Discovery document',
  request_token: 'Request token',
  callback: 'Came back',
  token: 'Token exchange',
  profile_call: 'Profile asked for',
  id_token: 'ID token',
  profile: 'The person',
  decision: 'The account',
  saml_request: 'Sent to the provider',
  saml_response: 'Came back',
  saml_person: 'The person',
  end: 'End',
};

/** Checks of what the provider of a company says, by the names of the API. */
export const checkTitles: Readonly<Record<string, string>> = {
  malformed: 'Form',
  status: 'Status',
  signature: 'Signature',
  encryption: 'Encryption',
  destination: 'Destination',
  issuer: 'Issuer',
  response_to: 'InResponseTo',
  expired: 'Times',
  subject: 'Subject',
  recipient: 'Recipient',
  audience: 'Audience',
  replayed: 'First use',
};

const ends: Readonly<Record<string, string>> = {
  session: 'A session was opened.',
  code: 'A code was issued; the application exchanges it for a session.',
  dry_run: 'The dry run ends here: nothing was written.',
  denied: 'The provider refused, or the person did.',
  failed: 'The sign-in failed.',
};

const decisions: Readonly<Record<string, string>> = {
  create: 'A new account.',
  pending_sign_up: 'A new account, once a mail is answered.',
  confirm: 'The account, once a mail is answered.',
  reject: 'Refused.',
};

/** Of a release that is newer than this page: its own name. */
export function sayStep(kind: string, detail: Detail): { readonly title: string; readonly summary: string } {
  const check = kind === 'saml_check' ? String(detail['check']) : null;
  return {
    title: check === null ? (titles[kind] ?? kind) : (checkTitles[check] ?? check),
    summary: summaryOf(kind, detail),
  };
}

function summaryOf(kind: string, detail: Detail): string {
  const text = (name: string): string => (typeof detail[name] === 'string' ? detail[name] : '');
  switch (kind) {
    case 'authorize':
    case 'saml_request':
      return text('sent_to');
    case 'callback':
      return detail['state'] === 'ours' ? 'with our state' : `with a state that is ${text('state')}`;
    case 'token':
    case 'request_token':
    case 'profile_call':
      return detail['status'] === undefined ? text('url') : `${text('url')} answered ${String(detail['status'])}`;
    case 'discovery':
      return text('issuer');
    case 'id_token':
      return detail['algorithm'] ? `${text('algorithm')}, key ${text('key_id') || 'without an id'}` : 'cannot be read';
    case 'saml_response':
      return detail['state'] === 'ours' ? 'with our RelayState' : `with a RelayState that is ${text('state')}`;
    case 'saml_person':
      return sayPerson(text('subject'), text('email'), detail['is_domain_of_company'] === true);
    case 'profile':
      return text('subject');
    case 'decision':
      return detail['is_disabled'] === true
        ? `${sayDecision(detail)} The company is disabled: until that ends, sign-ins are refused.`
        : sayDecision(detail);
    case 'end':
      return ends[text('outcome')] ?? text('outcome');
    default:
      return '';
  }
}

function sayDecision(detail: Detail): string {
  const kind = String(detail['kind']);
  if (kind !== 'sign_in') return decisions[kind] ?? kind;
  return detail['is_identity_new'] === true ? 'An existing account, to which it is linked.' : 'A known account.';
}

const sayPerson = (subject: string, email: string, isOfCompany: boolean): string =>
  [subject, email && (isOfCompany ? email : `${email}, whose domain is none of the company`)]
    .filter((one) => one !== '')
    .join(', ');
