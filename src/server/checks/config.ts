import { loadAllSources, sourcesOf } from '../cli/configuration.js';
import { onOneLine } from '../cli/one-line.js';
import { type Command, EXIT } from '../cli/types.js';
import { ConfigError, type LoadedConfig, type Source } from '../config/load.js';
import { mainNameOf, type PlacedSetting } from '../config/settings.js';
import { openFilterFile } from '../passwords/filter-file.js';
import { FilterFileError } from '../passwords/filter-format.js';
import type { SourcedLoad } from '../stored-settings/setting-source.js';

interface Line {
  readonly section: string;
  /** Its main name. */
  readonly variable: string;
  /** Where it is in Config. */
  readonly key: string;
  /** For a secret, its size. */
  readonly value: unknown;
  readonly secret: boolean;
  readonly source: Source;
}

export const checkConfig: Command = {
  summary: 'Load the configuration and show what is set, and from where',
  help: `Loads the configuration like the server and shows every setting that is not at its default, with the variable or
file it comes from, or that the database has it, and notices. Of secrets, only the size is shown. Exits with 2 if the server
would not start, and with 1 if it would start without the newest settings of the database.`,
  options: {
    all: { type: 'boolean', doc: 'show the settings at their default too' },
    json: { type: 'boolean', doc: 'print one JSON object' },
  },
  run: async (args, io) => {
    const { values } = args;
    const asJson = values['json'] === true;
    let found: SourcedLoad;
    try {
      found = await loadAllSources(sourcesOf(args, io));
      await openFilter(found.loaded);
    } catch (error) {
      if (!(error instanceof ConfigError) || !asJson) throw error;
      io.out(`${JSON.stringify({ ok: false, faults: error.faults }, null, 2)}\n`);
      return EXIT.wrongUsage;
    }
    const { loaded } = found;
    const lines = loaded.settings
      .map((placed) => describe(placed, loaded))
      .filter(({ source }) => values['all'] === true || source.origin !== 'default');
    io.out(asJson ? renderJson(lines, found) : renderText(lines, found));
    return found.problem === null ? EXIT.ok : EXIT.failed;
  },
};

/** The server opens the filter of leaked passwords at the start, too. @throws ConfigError */
async function openFilter({ config: { hibpFile } }: LoadedConfig): Promise<void> {
  if (hibpFile === '') return;
  try {
    await (await openFilterFile(hibpFile)).close();
  } catch (error) {
    if (!(error instanceof FilterFileError)) throw error;
    throw new ConfigError([{ variable: 'AUTH_PASSWORD_HIBP_FILE', problem: `names a file that ${error.message}` }]);
  }
}

function describe({ path, section, setting }: PlacedSetting, { config, sources }: LoadedConfig): Line {
  const key = path.join('.');
  const value = path.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], config);
  return {
    section,
    key,
    variable: mainNameOf(setting),
    value: setting.secret ? describeSecret(value) : value,
    secret: setting.secret === true,
    source: sources.get(key)!,
  };
}

/** The size of a secret, never its value (SEC-74). */
function describeSecret(value: unknown): string {
  if (Array.isArray(value) && value.some((item) => typeof item !== 'string')) return `${value.length} set`;
  if (Array.isArray(value)) {
    const sizes = value.map((item: string) => Buffer.byteLength(item)).join(', ');
    return value.length === 0 ? 'unset' : `${value.length} set (${sizes} bytes)`;
  }
  if (value !== null && typeof value === 'object') {
    const count = Object.keys(value).length;
    return count === 0 ? 'unset' : `${count} set`;
  }
  return value === null || value === '' ? 'unset' : `set (${Buffer.byteLength(String(value))} bytes)`;
}

function renderJson(lines: readonly Line[], { loaded, version, problem, unread }: SourcedLoad): string {
  const settings = lines.map(({ source, ...line }) => ({
    ...{ ...line, from: source.label, name: source.name },
    ...(source.line !== undefined && { line: source.line }),
  }));
  const database = { version, problem, unread };
  return `${JSON.stringify({ ok: problem === null, settings, notices: loaded.notices, database }, null, 2)}\n`;
}

function renderText(lines: readonly Line[], { loaded: { notices }, problem, unread, version }: SourcedLoad): string {
  const width = Math.max(0, ...lines.map(({ variable }) => variable.length));
  const text: string[] = [];
  let section = '';
  for (const line of lines) {
    if (line.section !== section) {
      section = line.section;
      text.push(...(text.length > 0 ? [''] : []), section);
    }
    text.push(`  ${line.variable.padEnd(width)}  ${renderValue(line.value)}  ${renderSource(line)}`);
  }
  if (notices.length > 0) text.push('', 'Notices', ...notices.map(({ message }) => `  ${message}`));
  if (version > 0) text.push('', `The database has set ${version}.`);
  if (unread !== null) text.push('', `The settings of the database could not be read: ${unread}`);
  text.push('', problem ?? 'The configuration is complete.');
  return `${text.join('\n')}\n`;
}

function renderValue(value: unknown): string {
  if (value === null || value === '') return 'unset';
  return onOneLine(typeof value === 'string' ? value : JSON.stringify(value));
}

function renderSource({ source, variable }: Line): string {
  if (source.origin === 'default') return '(default)';
  return source.name === variable ? `(${source.label})` : `(${source.label}, as ${source.name})`;
}
