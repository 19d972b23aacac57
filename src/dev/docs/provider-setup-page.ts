import { customGuide, type ProviderGuide, providerGuides } from '../../server/console/provider-guides/index.js';

const NOTICE = 'Generated from src/server/console/provider-guides/ by `npm run docs`; do not edit by hand.';

const pageOf = (name: string): string => `${name}.md`;

const INTRODUCTION = `# Registration at each provider

<!-- ${NOTICE} -->

For developers and operators who register an application at a provider. At the end you have its client ID and secret, and the
provider knows your redirect address.

The [console](console/${pageOf('providers')}#providers) shows the same beside the form of
each provider. The redirect address is \`AUTH_API_EXTERNAL_URL\` and \`/callback\`, letter by letter. How sign-in at providers
works is in [${pageOf('providers')}](${pageOf('providers')}). Providers change their pages; these are as of November 2026.
`;

/** The content of docs/provider-setup.md, by name. */
export function renderProviderSetup(): string {
  const parts = Object.entries(providerGuides)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, guide]) => renderGuide(`${guide.title} (\`${name}\`)`, guide));
  const own = renderGuide('Any OpenID Connect issuer (`custom:<name>`)', customGuide);
  return [INTRODUCTION, ...parts, own].join('\n');
}

function renderGuide(
  title: string,
  { registerAt, steps, notes = [], replacedBy }: Omit<ProviderGuide, 'title'>,
): string {
  const lines = [`## ${title}\n`];
  if (replacedBy !== undefined) lines.push(`The provider takes no new applications for it: use \`${replacedBy}\`.\n`);
  if (registerAt !== null) lines.push(`Begin at <${registerAt}>.\n`);
  lines.push(...steps.map((step, i) => `${i + 1}. ${step}`), '');
  if (notes.length > 0) lines.push(...notes.map((note) => `- ${note}`), '');
  return lines.join('\n');
}
