/** Stays the same at every port and host, so that one registration lasts. */
export const PROVIDER_ENTITY_ID = 'urn:latchkey:development:identity-provider';

const PATH = '/dev/identity-provider';

export const providerPaths = {
  home: PATH,
  metadata: `${PATH}/metadata`,
  /** Takes requests of the server. */
  signIn: `${PATH}/sso`,
  /** Takes the forms of the pages. */
  answer: `${PATH}/answer`,
  /** Takes messages of single log-out. */
  logout: `${PATH}/slo`,
  signOut: `${PATH}/sign-out`,
  /** Takes the form that gives the company to an organization. */
  place: `${PATH}/organization`,
  /** Stands for an application: shows what it would receive. */
  arrival: `${PATH}/arrival`,
} as const;
