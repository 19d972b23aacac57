import { checkConfig } from '../checks/config.js';
import { developmentOption } from '../cli/development.js';
import type { Command, CommandGroup } from '../cli/types.js';

const show: Command = {
  summary: 'Show the settings and where each value comes from',
  help: `Shows the settings that are set, with the variable and the file or environment each value comes from; with
--effective every setting, those at their default too. Of secrets, only the size is shown. A reload of the
same files would put these values in place, except those of settings that take effect with a restart.`,
  options: {
    effective: { type: 'boolean', doc: 'show every setting' },
    json: { type: 'boolean', doc: 'print one JSON object' },
    ...developmentOption,
  },
  run: ({ values, ...rest }, io) =>
    checkConfig.run({ ...rest, values: { all: values['effective'], json: values['json'], data: values['data'] } }, io),
};

/** Commands about the configuration. */
export const configCommands: CommandGroup = {
  summary:
    'Show the configuration, and change what the database has: config show, config diff, config example, config set, config unset, config export, config import, config history, config rollback',
  commands: {
    show: async () => show,
    set: async () => (await import('./config/set.js')).setConfig,
    unset: async () => (await import('./config/unset.js')).unsetConfig,
    export: async () => (await import('./config/export.js')).exportConfig,
    import: async () => (await import('./config/import.js')).importConfig,
    history: async () => (await import('./config/history.js')).configHistory,
    rollback: async () => (await import('./config/rollback.js')).rollbackConfig,
    diff: async () => (await import('./config/diff.js')).diffConfig,
    example: async () => (await import('./config/example.js')).exampleConfig,
  },
};
