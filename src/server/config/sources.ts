/** Where a setting's text comes from: the environment, the configuration file, or a file that holds a secret. */
import { readFileSync } from 'node:fs';
import { listConfigFiles } from './config-directory.js';
import { parseEnvFile } from './env-file.js';
import type { Environment } from './environment.js';
import type { Fault, Notice } from './faults.js';
import { parseJsonFile } from './json-file.js';
import { namesOf, type Setting } from './settings.js';

export interface Layer {
  readonly origin: 'environment' | 'file' | 'database' | 'fallback';
  /** As shown to operators. */
  readonly label: string;
  readonly values: ReadonlyMap<string, string>;
  /** Of a file: where each name is, from 1. */
  readonly lines?: ReadonlyMap<string, number>;
}

export interface Found {
  readonly name: string;
  readonly layer: Layer;
  readonly text: string;
}

interface Findings {
  readonly faults: Fault[];
  readonly notices: Notice[];
}

const EMPTY: ReadonlyMap<string, string> = new Map();

/** What the database sets, by main name. See src/server/stored-settings. */
export interface StoredLayer {
  readonly values: ReadonlyMap<string, string>;
  /** What is there and cannot be used. */
  readonly notices: readonly Notice[];
}

/** The files of `-c` and `-d`, what the database sets, and what a command fills in. */
export interface ConfigFiles {
  /** A file that must exist; undefined: `.env` in the working directory, if there is one; null: no file. */
  readonly file?: string | null | undefined;
  /** A folder whose *.env and *.json take precedence over the environment. It may be missing. */
  readonly directory?: string | undefined;
  /** Values for settings that are set nowhere else, by environment name. */
  readonly fallback?: Environment | undefined;
  /** Between the file and the fallback; absent: nothing. */
  readonly stored?: StoredLayer | undefined;
}

/**
 * The layers in order of precedence: the files of the directory, the last one first, then the environment, then the
 * file, then the database (docs/decisions.md, Configuration files).
 */
export function openLayers(
  environment: Environment,
  { file, directory, fallback = {}, stored }: ConfigFiles,
  findings: Findings,
): Layer[] {
  const values = new Map<string, string>();
  for (const [name, text] of Object.entries(environment)) if (text) values.set(name, text);
  const layers: Layer[] = [];
  let known = environment;
  for (const path of directory === undefined ? [] : listConfigFiles(directory, findings.notices)) {
    const layer = readLayer(path, false, known, findings);
    layers.unshift(layer);
    // A later file may refer to what an earlier one sets.
    known = { ...known, ...Object.fromEntries(layer.values) };
  }
  layers.push({ origin: 'environment', label: 'environment', values });
  if (file !== null) layers.push(readLayer(file ?? '.env', file === undefined, environment, findings));
  if (stored !== undefined) {
    layers.push({ origin: 'database', label: 'database', values: stored.values });
    findings.notices.push(...stored.notices);
  }
  const filledIn = Object.entries(fallback).filter((entry): entry is [string, string] => entry[1] !== undefined);
  layers.push({ origin: 'fallback', label: 'filled in', values: new Map(filledIn) });
  return layers;
}

function readLayer(
  path: string,
  mayBeMissing: boolean,
  environment: Environment,
  { faults, notices }: Findings,
): Layer {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    if (!(mayBeMissing && (error as NodeJS.ErrnoException).code === 'ENOENT')) {
      faults.push({ variable: path, problem: `cannot be used as the configuration file: ${describeReadError(error)}` });
    }
    return { origin: 'file', label: path, values: EMPTY };
  }
  const parsed = path.endsWith('.json') ? parseJsonFile(content) : parseEnvFile(content, environment);
  for (const { at, fault } of parsed.faults)
    faults.push({ variable: at === '' ? path : `${path} ${at}`, problem: fault });
  for (const { line, name } of parsed.undefinedReferences) {
    notices.push({
      variable: name,
      message: `${name} (${path} line ${line}) refers with $ to a variable that is not set, which became nothing; put the value in single quotes to keep the dollar sign.`,
    });
  }
  const values = new Map([...parsed.values].filter(([, text]) => text !== ''));
  return { origin: 'file', label: path, values, lines: parsed.lines };
}

/**
 * Looks a setting up under all its names. An empty value counts as unset.
 * @returns undefined when it is set nowhere; null when what is there cannot be used (then a fault is recorded)
 */
export function findText(setting: Setting, layers: readonly Layer[], findings: Findings): Found | undefined | null {
  for (const layer of layers) {
    if (layer.values.size === 0) continue;
    const found = findInLayer(setting, layer, findings);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findInLayer(setting: Setting, layer: Layer, { faults, notices }: Findings): Found | undefined | null {
  let first: Found | undefined;
  for (const name of namesOf(setting)) {
    const text = layer.values.get(name);
    const fileName = `${name}_FILE`;
    const path = setting.secret ? layer.values.get(fileName) : undefined;
    if (text === undefined && path === undefined) continue;
    if (text !== undefined && path !== undefined) {
      faults.push({ variable: name, problem: `is set, and so is ${fileName}: keep one of them` });
      return null;
    }
    const used = text === undefined ? fileName : name;
    if (first === undefined) {
      const content = text ?? readSecret(fileName, path!, faults);
      if (content === undefined) return null;
      first = { name: used, layer, text: content };
    } else if (text !== first.text) {
      notices.push({ variable: used, message: `${used} is ignored: ${first.name} is set too and comes first.` });
    }
  }
  return first;
}

/** The content of a secret's file without the newline that editors and `echo` append. */
function readSecret(variable: string, path: string, faults: Fault[]): string | undefined {
  try {
    const secret = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    if (secret !== '') return secret;
    faults.push({ variable, problem: 'names a file that is empty' });
  } catch (error) {
    // The path is not repeated: it may be the secret itself.
    faults.push({ variable, problem: `names a file that cannot be used: ${describeReadError(error)}` });
  }
  return undefined;
}

function describeReadError(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'it does not exist',
    EACCES: 'this user may not read it',
    EISDIR: 'it is a directory',
  };
  return words[code] ?? code;
}
