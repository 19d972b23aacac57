import type { EnvFile } from './env-file.js';

/** Parses a .json file of settings: one object, name → string. Values are taken literally, without $VAR. */
export function parseJsonFile(content: string): EnvFile {
  const values = new Map<string, string>();
  const faults: { at: string; fault: string }[] = [];
  const lines = new Map<string, number>();
  const done = { values, lines, faults, undefinedReferences: [] };
  let parsed: unknown;
  try {
    parsed = JSON.parse(content.replace(/^\uFEFF/, ''));
  } catch {
    // The message of JSON.parse would repeat a part of the text, which may be a secret (SEC-74).
    faults.push({ at: '', fault: 'is not valid JSON' });
    return done;
  }
  if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed)) {
    faults.push({ at: '', fault: 'must be one JSON object, name → string' });
    return done;
  }
  const rows = content.split('\n');
  for (const [name, value] of Object.entries(parsed)) {
    const row = rows.findIndex(
      (text) => text.includes(`${JSON.stringify(name)}:`) || text.includes(`${JSON.stringify(name)} :`),
    );
    if (row >= 0) lines.set(name, row + 1);
    if (typeof value === 'string') values.set(name, value);
    else faults.push({ at: `member ${name.slice(0, 100)}`, fault: 'must be a string: put the value in double quotes' });
  }
  return done;
}
