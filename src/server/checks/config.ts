import { type Command, EXIT } from '../cli/types.js';
import { ConfigError, type LoadedConfig, loadConfig, type Source } from '../config/load.js';
import { mainNameOf, type PlacedSetting } from '../config/settings.js';
import { openFilterFile } from '../passwords/filter-file.js';
import { FilterFileError } from '../passwords/filter-format.js';

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
file it comes from, and notices. Of secrets, only the size is shown. Exits with 2 if the server would not start.`,
  options: {
    all: { type: 'boolean', doc: 'show the settings at their default too' },
    json: { type: 'boolean', doc: 'print one JSON object' },
  },
  run: async ({ values, configFiles }, io) => {
    const asJson = values['json'] === true;
    let loaded: LoadedConfig;
    try {
      loaded = loadConfig({ environment: io.environment, ...configFiles });
      await openFilter(loaded);
    } catch (error) {
      if (!(error instanceof ConfigError) || !asJson) throw error;
      io.out(`${JSON.stringify({ ok: false, faults: error.faults }, null, 2)}\n`);
      return EXIT.wrongUsage;
    }
    const lines = loaded.settings
      .map((placed) => describe(placed, loaded))
      .filter(({ source }) => values['all'] === true || source.origin !== 'default');
    io.out(asJson ? renderJson(lines, loaded) : renderText(lines, loaded));
    return EXIT.ok;
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

function renderJson(lines: readonly Line[], { notices }: LoadedConfig): string {
  const settings = lines.map(({ source, ...line }) => ({ ...line, from: source.label, name: source.name }));
  return `${JSON.stringify({ ok: true, settings, notices }, null, 2)}\n`;
}

function renderText(lines: readonly Line[], { notices }: LoadedConfig): string {
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
  text.push('', 'The configuration is complete.');
  return `${text.join('\n')}\n`;
}

/** On one line, with control characters escaped, so that no value can redraw the terminal. */
function renderValue(value: unknown): string {
  if (value === null || value === '') return 'unset';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /[\u0000-\u001f\u007f-\u009f]/.test(text) ? JSON.stringify(text) : text;
}

function renderSource({ source, variable }: Line): string {
  if (source.origin === 'default') return '(default)';
  return source.name === variable ? `(${source.label})` : `(${source.label}, as ${source.name})`;
}
