/** The part of the site about reasons and measurements. */
import { group, type SiteSection } from './section.js';

export const whySection: SiteSection = {
  text: 'Why',
  about: 'Decisions with their reasons, threats, requirements with their tests, and measurements.',
  groups: [
    group('', {
      'docs/why.md': 'Why Latchkey',
      'THREATS.md': 'Threats',
      'docs/requirements.md': 'Requirements',
      'docs/reliability.md': 'Reliability',
      'bench/README.md': 'Benchmarks',
      'CONTRIBUTING.md': 'Contributing',
      'docs/licences.md': 'Licences',
    }),
    group('Decisions', {
      'docs/decisions.md': 'Decisions',
      'docs/decisions/api.md': 'The API',
      'docs/decisions/settings.md': 'Settings',
      'docs/decisions/accounts.md': 'Accounts and addresses',
      'docs/decisions/passwords.md': 'Passwords',
      'docs/decisions/messages.md': 'Codes, mail and SMS',
      'docs/decisions/factors.md': 'Second factors',
      'docs/decisions/providers.md': 'Identity providers',
      'docs/decisions/sessions.md': 'Sessions and tokens',
      'docs/decisions/oauth.md': 'OAuth clients',
      'docs/decisions/operations.md': 'Operations, limits',
      'docs/decisions/threads.md': 'Threads and HTTP',
      'docs/decisions/database.md': 'Database',
      'docs/decisions/console.md': 'The console',
      'docs/decisions/console-pages.md': 'Pages of the console',
      'docs/decisions/libraries.md': 'Libraries',
      'docs/decisions/code.md': 'Code',
      'docs/decisions/tests.md': 'Tests',
    }),
  ],
};
