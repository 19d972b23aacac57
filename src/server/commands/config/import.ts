import { readFile } from 'node:fs/promises';
import { readStoredSettings } from '../../../db/stored-settings.js';
import { givenSources } from '../../cli/configuration.js';
import { type Command, type CommandIo, EXIT } from '../../cli/types.js';
import { parseEnvFile } from '../../config/env-file.js';
import { findMainNames, readGivenTexts } from '../../config/given-texts.js';
import { placeNames, whyNotStored } from '../../config/storable.js';
import { storedEntries } from '../../stored-settings/store.js';
import { applyChange, changeOptions, withSettingStore } from './apply.js';

type Texts = Map<string, string | null>;

export const importConfig: Command = {
  summary: 'Store the settings of a file, or of the environment and the files, in the database',
  help: `Without FILE: stores what the environment and the configuration files set, so that it can be removed there and be changed in
the console. With FILE, or - for standard input: stores what it sets, a .env or one JSON object a line: {"name", "text"}, where
null removes. All of it is one set. What cannot be in the database is named and stays where it is. Exits with 2 if a setting is faulty.`,
  options: {
    ...changeOptions,
    only: { type: 'string', argument: 'NAMES', doc: 'only these settings, with commas between them' },
    replace: { type: 'boolean', doc: 'with FILE: remove from the database what it does not set' },
  },
  positionals: ['FILE'],
  run: async (args, io) => {
    const [file] = args.positionals;
    const given = file === undefined ? new Map(readGivenTexts(givenSources(args, io))) : await readTexts(file, io);
    if (given === null) return EXIT.wrongUsage;
    const only = args.values['only'] === undefined ? null : new Set(String(args.values['only']).split(','));
    const texts = chooseStorable(only === null ? given : pick(given, only), io);
    return withSettingStore(args, io, async (store) => {
      if (file !== undefined && args.values['replace'] === true) {
        for (const { name } of storedEntries(await readStoredSettings(store.db, null))) {
          if (!texts.has(name)) texts.set(name, null);
        }
      }
      const code = await applyChange(args, io, store, { texts });
      if (code === EXIT.ok && file === undefined && texts.size > 0) io.out(HANDED_OVER);
      return code;
    });
  },
};

const HANDED_OVER =
  'Until they are removed from the environment and the files, those come first: latchkey config show says where each is.\n';

const pick = (texts: Texts, only: ReadonlySet<string>): Texts => new Map([...texts].filter(([name]) => only.has(name)));

/** Under main names. Names that are no settings stay, to be reported, if they have our prefix. */
function chooseStorable(given: Texts, io: CommandIo): Texts {
  const mainNames = findMainNames(given.keys());
  const texts: Texts = new Map();
  for (const [name, text] of given) {
    const main = mainNames.get(name);
    if (main !== undefined) texts.set(main, text);
    else if (/^(AUTH|GOTRUE)_/.test(name)) texts.set(name, text);
  }
  for (const [name, { setting }] of placeNames(texts.keys())) {
    const why = whyNotStored(setting);
    if (why === null) continue;
    texts.delete(name);
    io.err(`${name} stays where it is: it ${why}.\n`);
  }
  return texts;
}

/** @returns null, after a message, when the file cannot be used */
async function readTexts(file: string, io: CommandIo): Promise<Texts | null> {
  const refuse = (problem: string): null => {
    io.err(`latchkey config import: ${file} ${problem}\n`);
    return null;
  };
  let content: string;
  try {
    content = file === '-' ? ((await io.readInput?.()) ?? '') : await readFile(file, 'utf8');
  } catch (error) {
    return refuse(`cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  if (content.trimStart().startsWith('{')) return readLines(content, refuse);
  const { values, faults } = parseEnvFile(content, io.environment);
  if (faults.length > 0) return refuse(faults.map(({ at, fault }) => `${at} ${fault}`).join('; '));
  return new Map(values);
}

function readLines(content: string, refuse: (problem: string) => null): Texts | null {
  const texts: Texts = new Map();
  for (const [index, line] of content.split('\n').entries()) {
    if (line.trim() === '') continue;
    const row = parseLine(line);
    if (row === null) return refuse(`line ${index + 1} is not {"name": text, "text": text or null}`);
    texts.set(row.name, row.text);
  }
  return texts;
}

function parseLine(line: string): { name: string; text: string | null } | null {
  try {
    const { name, text } = JSON.parse(line) as { name: unknown; text: unknown };
    return typeof name === 'string' && (text === null || typeof text === 'string') ? { name, text } : null;
  } catch {
    return null;
  }
}
