import { consoleBody, defineConsole, objectOf, orNull, textField } from '../define-console.js';

const text = { type: 'string' } as const;

export const postRedirectCheck = defineConsole({
  method: 'POST',
  path: '/api/redirects/check',
  role: 'viewer',
  body: consoleBody({ redirect_to: textField('What an application sends as redirect_to.') }, 'redirect_to'),
  id: 'checkRedirect',
  tag: 'Settings',
  summary: 'Says where a redirect_to would lead, and why.',
  answer: {
    description: 'The verdict of the rules that the API applies, the parts that a browser reads, and where users go.',
    body: objectOf({
      is_allowed: { type: 'boolean' },
      reason: text,
      leads_to: text,
      parts: {
        type: ['object', 'null'],
        properties: { scheme: text, host: text, port: text, path: text, query: text, fragment: text },
      },
      site_url: text,
      allow_list: { type: 'array', items: text },
      ineffective: { type: 'array', items: text, description: 'Patterns that can never match.' },
      overridden_by: { ...orNull('string'), description: 'EXTERNAL_REDIRECTURL, after a sign-in at a provider.' },
    }),
  },
  handler({ redirects, config }, { body }) {
    const candidate = body.redirect_to;
    const verdict = redirects.check(candidate);
    const parsed = URL.canParse(candidate) ? new URL(candidate) : null;
    return {
      status: 200,
      body: {
        is_allowed: verdict.isAllowed,
        reason: verdict.reason,
        leads_to: redirects.choose([candidate]).url,
        parts: parsed && {
          scheme: parsed.protocol.slice(0, -1),
          host: parsed.hostname,
          port: parsed.port,
          path: parsed.pathname,
          query: parsed.search,
          fragment: parsed.hash,
        },
        site_url: config.siteUrl,
        allow_list: config.uriAllowList,
        ineffective: redirects.ineffective,
        overridden_by: config.externalRedirectUrl || null,
      },
    };
  },
});
