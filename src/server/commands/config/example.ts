import type { Command } from '../../cli/types.js';
import { renderAllSettings, renderEnvExample } from '../../config/env-example.js';

export const exampleConfig: Command = {
  summary: 'Print a configuration file to start from',
  help: `Prints the content of a .env: the required settings, mail, an identity provider and what a proxy needs;
with --all every setting with what it means, its default and an example. Lines that begin with # are
off. Nothing is read and nothing is checked: latchkey check config does that.`,
  options: { all: { type: 'boolean', doc: 'print every setting' } },
  async run({ values }, io) {
    io.out(values['all'] === true ? renderAllSettings() : renderEnvExample());
    return 0;
  },
};
