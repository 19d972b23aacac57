/** The part of the site for operators. */
import { group, type SiteSection } from './section.js';

export const runSection: SiteSection = {
  text: 'Run',
  about: 'For operators: deploy, put it behind a proxy, scale, watch, rotate keys, upgrade, move in.',
  groups: [
    group('Deploy', {
      'docs/guides/first-deployment.md': 'First deployment',
      'docs/operations.md': 'Running Latchkey',
      'docs/run/settings.md': 'First settings',
      'docs/deployment.md': 'Deployment',
      'docs/proxies.md': 'Behind nginx and others',
      'docs/run/migrations.md': 'Upgrade, back up, restore',
      'docs/versioning.md': 'Versions',
      'CHANGELOG.md': 'Changes',
    }),
    group('Move in', {
      'docs/moving-in.md': 'From Supabase Auth',
      'docs/moving-in/what-comes-along.md': 'What comes along',
      'docs/moving-in/within-one-database.md': 'Within one database',
      'docs/moving-in/from-a-file.md': 'From a file',
      'docs/moving-in/how-an-import-works.md': 'How an import works',
      'docs/moving-in/way-back.md': 'The way back',
    }),
    group('Console', {
      'docs/console.md': 'Console',
      'docs/console/pages.md': 'Its pages',
      'docs/console/keys.md': 'States and keys',
      'docs/console/people.md': 'Import people, notes',
      'docs/console/changing-settings.md': 'Change settings',
      'docs/console/providers.md': 'Set up and test providers',
    }),
    group('Operate', {
      'docs/run/stored-settings.md': 'Settings in the database',
      'docs/run/reloading.md': 'Reload settings',
      'docs/keys.md': 'Signing keys',
      'docs/run/secret.md': 'Change the secret',
      'docs/run/clean-up.md': 'Clean-up',
      'docs/guides/export-deletion-retention.md': 'Export, deletion, retention',
      'SECURITY.md': 'Reporting a vulnerability',
    }),
    group('Watch', {
      'docs/run/health.md': 'Health and signals',
      'docs/run/logs.md': 'Logs',
      'docs/run/metrics.md': 'Metrics',
      'docs/run/traces.md': 'Traces',
    }),
    group('Messages and limits', {
      'docs/run/mail.md': 'Mail',
      'docs/guides/mail-that-arrives.md': 'Mail that arrives',
      'docs/run/texts.md': 'Texts (SMS)',
      'docs/notices.md': 'Notices to users',
      'docs/run/limits.md': 'Limits and captcha',
      'docs/run/leaked-passwords.md': 'Leaked passwords',
    }),
    group('Scale', {
      'docs/guides/load.md': 'Load: what a machine holds',
      'docs/run/capacity.md': 'Threads and overload',
      'docs/database.md': 'The database',
      'docs/growing.md': 'Past one primary',
      'docs/growing/citus.md': 'Citus',
      'docs/growing/splitting.md': 'Splitting by user',
    }),
  ],
};
