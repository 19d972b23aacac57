import { type ConfigComparison, type ConfigDifference, compareWithRunning } from '../../admin/compare-config.js';
import { loadConfiguration } from '../../cli/configuration.js';
import { developmentOption } from '../../cli/development.js';
import { onOneLine } from '../../cli/one-line.js';
import { type Command, EXIT } from '../../cli/types.js';
import { ownUrl, RunningConfigError, readRunningConfig } from './running.js';

export const diffConfig: Command = {
  summary: 'Show what a reload or a restart would change in the running server',
  help: `Loads the configuration as the server would now, asks the running server for the one it uses, and prints what was
added (+), changed (~) and removed (-), by reload or restart, and where it is from. Of secrets it says only that they differ: the
server sends fingerprints that need AUTH_JWT_SECRET to compare. Start it with the environment and files of the server.
Exits with 0, with --check with 1 if anything differs; 1 if the server could not be asked; 2 if the configuration is faulty.`,
  options: {
    url: { type: 'string', argument: 'URL', doc: 'of the server (default: where the configuration has it listen)' },
    token: { type: 'string', argument: 'JWT', doc: 'for the admin endpoints (default: signed by the configuration)' },
    check: { type: 'boolean', doc: 'exit with 1 if anything differs' },
    json: { type: 'boolean', doc: 'print one JSON object' },
    ...developmentOption,
  },
  run: async (args, io) => {
    const { values } = args;
    const loaded = await loadConfiguration(args, io);
    const url = (values['url'] as string | undefined) ?? ownUrl(loaded.config);
    try {
      const token = values['token'] as string | undefined;
      const running = await readRunningConfig(io, loaded.config, url, token);
      const comparison = compareWithRunning(loaded, running);
      const about = { url, generation: running.generation };
      io.out(values['json'] === true ? renderJson(comparison, about) : renderText(comparison, about));
      const differs = comparison.differences.length > 0 || !comparison.comparesSecrets;
      return values['check'] === true && differs ? EXIT.failed : EXIT.ok;
    } catch (error) {
      if (!(error instanceof RunningConfigError)) throw error;
      io.err(`latchkey config diff: ${error.message}.\n`);
      return EXIT.failed;
    }
  },
};

interface About {
  readonly url: string;
  readonly generation: number;
}

const renderJson = ({ differences, comparesSecrets }: ConfigComparison, about: About): string =>
  `${JSON.stringify({ ...about, compares_secrets: comparesSecrets, differences }, null, 2)}\n`;

function renderText({ differences, comparesSecrets }: ConfigComparison, { url, generation }: About): string {
  const width = Math.max(0, ...differences.map(({ variable }) => variable.length));
  const list = (title: string, wanted: boolean): string[] => {
    const found = differences.filter(({ needs_restart: needsRestart }) => needsRestart === wanted);
    return found.length === 0 ? [] : ['', title, ...found.map((one) => renderDifference(one, width))];
  };
  const lines = [
    `Compared with ${url}, generation ${generation}`,
    ...list('A reload changes', false),
    ...list('A restart changes', true),
    ...(differences.length === 0 ? ['', 'Nothing differs.'] : []),
    ...(comparesSecrets ? [] : ['', 'Secrets were not compared: the server runs with another AUTH_JWT_SECRET.']),
  ];
  return `${lines.join('\n')}\n`;
}

const SIGNS = { added: '+', changed: '~', removed: '-' } as const;

function renderDifference(one: ConfigDifference, width: number): string {
  const values = one.secret ? `(secret, ${one.kind})` : `${show(one.running)} -> ${show(one.configured)}`;
  return `  ${SIGNS[one.kind]} ${one.variable.padEnd(width)}  ${values}${one.source === undefined ? '' : `  (${one.source})`}`;
}

function show(value: unknown): string {
  if (value === null || value === '') return 'unset';
  return onOneLine(typeof value === 'string' ? value : JSON.stringify(value));
}
