/**
 * What providers call deprecated, for `latchkey check provider`: scopes and endpoints of the files here, and those that
 * operators set. As of November 2026.
 */
import type { ProviderSpec } from './contract.js';
import type { Finding } from './stored/contract.js';

interface Deprecation {
  readonly hosts: readonly string[];
  readonly scopes?: RegExp;
  readonly path?: RegExp;
  /** What happened, and what to use. */
  readonly about: string;
}

const DEPRECATIONS: readonly Deprecation[] = [
  {
    // https://developers.figma.com/docs/rest-api/scopes/
    hosts: ['www.figma.com', 'api.figma.com'],
    scopes: /^files?[:_]read$/,
    about:
      'Figma removes it, and refuses it to apps that were published since November 2025. Ask for current_user:read.',
  },
  {
    // https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin
    hosts: ['api.linkedin.com', 'www.linkedin.com'],
    scopes: /^r_(emailaddress|liteprofile|basicprofile)$/,
    about: 'LinkedIn gives it to no app made since August 2023. Use linkedin_oidc.',
  },
  {
    // https://api.slack.com/legacy/sign-in-with-slack
    hosts: ['slack.com'],
    path: /^\/(oauth\/authorize|api\/oauth\.access|api\/users\.identity)$/,
    about: 'Slack lets no new app sign in this way since July 2021. Use slack_oidc.',
  },
  {
    // https://docs.x.com/x-api/users/lookup/migrate/standard-to-twitter-api-v2
    hosts: ['api.twitter.com', 'api.x.com'],
    path: /^\/1\.1\//,
    about: 'Version 2 replaces version 1.1 of the API. Use x.',
  },
  {
    // https://discord.com/developers/docs/reference#api-versioning
    hosts: ['discord.com', 'discordapp.com'],
    path: /^\/api\/(v[3-8]\/)?users\//,
    about: 'Without a version, or with one up to 8, Discord answers with an old API. Use /api/v10/users/@me.',
  },
  {
    // https://developer.atlassian.com/cloud/bitbucket/changelog#CHANGE-3052
    hosts: ['bitbucket.org'],
    path: /^\/(api\/)?[12]\.0\b/,
    about: 'Bitbucket takes tokens at api.bitbucket.org only, since May 2026, and has no version 1.0.',
  },
  {
    // https://developers.google.com/people/legacy
    hosts: ['accounts.google.com', 'www.googleapis.com'],
    scopes: /^https:\/\/www\.googleapis\.com\/auth\/plus\./,
    path: /^\/plus\//,
    about: 'Google+ was shut down in 2019. The scopes openid, email and profile are enough.',
  },
  {
    // https://learn.microsoft.com/en-us/graph/migrate-azure-ad-graph-overview
    hosts: ['login.microsoftonline.com'],
    scopes: /^https:\/\/graph\.windows\.net\//,
    about: 'Azure AD Graph was retired in 2025. Use Microsoft Graph.',
  },
];

/**
 * @param url EXTERNAL_X_URL, or null. A server of the operator's own is not looked at: what it deprecates is not known
 * @returns a hint for each scope and endpoint
 */
export function findDeprecated(spec: ProviderSpec, url: string | null): Finding[] {
  const endpoints = endpointsOf(spec, url).flatMap((text) => (URL.canParse(text) ? [new URL(text)] : []));
  const scopes = spec.protocol === 'oauth1' ? [] : spec.scopes;
  return DEPRECATIONS.flatMap(({ hosts, scopes: old, path, about }) => {
    const here = endpoints.filter(({ hostname }) => hosts.includes(hostname));
    if (here.length === 0) return [];
    const found = [
      ...scopes.filter((scope) => old?.test(scope)).map((scope) => `The scope ${scope}`),
      ...here.filter(({ pathname }) => path?.test(pathname)).map((it) => `${it.origin}${it.pathname}`),
    ];
    return [...new Set(found)].map((what): Finding => ({ kind: 'hint', text: `${what} is deprecated: ${about}` }));
  });
}

function endpointsOf(spec: ProviderSpec, url: string | null): string[] {
  if (spec.protocol === 'oidc') {
    return [spec.idTokens.issuer(url), spec.authorizationEndpoint?.(url) ?? '', spec.tokenEndpoint?.(url) ?? ''];
  }
  return Object.values(spec.endpoints(url));
}
