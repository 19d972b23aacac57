/**
 * Parses .env files (docs/decisions.md, Configuration files). Node's util.parseEnv supports neither `KEY: value`, `\"`
 * nor $VAR.
 */
import type { Environment } from './environment.js';

export interface EnvFile {
  readonly values: ReadonlyMap<string, string>;
  /** Where each name is, from 1. */
  readonly lines: ReadonlyMap<string, number>;
  /** Lines that are no setting, described without their content (SEC-74). */
  readonly faults: readonly { readonly at: string; readonly fault: string }[];
  /** References to unset variables; often a dollar sign inside a secret. */
  readonly undefinedReferences: readonly { readonly line: number; readonly name: string }[];
}

const KEY = /(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.]*)[ \t]*[=:]/y;
const REFERENCE = /\\\$|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)/g;

/**
 * @param content the text of the file
 * @param environment values of $VAR that the file has not set above
 */
export function parseEnvFile(content: string, environment: Environment): EnvFile {
  const text = content.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const values = new Map<string, string>();
  const lines = new Map<string, number>();
  const faults: { at: string; fault: string }[] = [];
  const undefinedReferences: { line: number; name: string }[] = [];
  let position = 0;
  let line = 1;

  const moveTo = (next: number) => {
    for (let i = position; i < next; i++) if (text[i] === '\n') line++;
    position = next;
  };
  const endOfLine = (from: number) => {
    const end = text.indexOf('\n', from);
    return end < 0 ? text.length : end;
  };
  const expand = (raw: string, name: string) =>
    raw.replace(REFERENCE, (whole, braced?: string, bare?: string) => {
      if (whole === '\\$') return '$';
      const key = (braced ?? bare)!;
      const found = values.get(key) ?? environment[key];
      if (found === undefined) undefinedReferences.push({ line, name });
      return found ?? '';
    });

  while (position < text.length) {
    const end = endOfLine(position);
    const start = position + /^[ \t]*/.exec(text.slice(position, end))![0].length;
    if (start === end || text[start] === '#') {
      moveTo(end + 1);
      continue;
    }
    KEY.lastIndex = start;
    const match = KEY.exec(text);
    if (match === null) {
      faults.push({ at: `line ${line}`, fault: 'is not of the form NAME=value' });
      moveTo(end + 1);
      continue;
    }
    const name = match[1]!;
    lines.set(name, line);
    const after = text.slice(KEY.lastIndex, end);
    const open = KEY.lastIndex + /^[ \t]*/.exec(after)![0].length;
    const quote = text[open];
    if (open === end || (quote !== "'" && quote !== '"')) {
      values.set(name, expand(after.replace(/[ \t]#.*$/, '').trim(), name));
      moveTo(end + 1);
      continue;
    }
    const close = findClosingQuote(text, open);
    if (close < 0) {
      faults.push({ at: `line ${line}`, fault: 'opens a quote that is never closed' });
      break;
    }
    const lineEnd = endOfLine(close);
    if (!/^[ \t]*(#.*)?$/.test(text.slice(close + 1, lineEnd))) {
      faults.push({ at: `line ${line}`, fault: 'has text behind the closing quote' });
    } else {
      const inside = text.slice(open + 1, close);
      values.set(name, quote === "'" ? inside : expandDoubleQuoted(inside, (raw) => expand(raw, name)));
    }
    moveTo(lineEnd + 1);
  }
  return { values, lines, faults, undefinedReferences };
}

/** @returns the position of the closing quote, or -1; in double quotes a backslash escapes the next character */
function findClosingQuote(text: string, open: number): number {
  if (text[open] === "'") return text.indexOf("'", open + 1);
  for (let i = open + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i;
  }
  return -1;
}

/** `\n` and `\r` become line breaks, other escaped characters themselves; the rest is expanded. */
function expandDoubleQuoted(inside: string, expand: (raw: string) => string): string {
  return inside.replace(/\\(.)|[^\\]+/gs, (piece, escaped?: string) => {
    if (escaped === undefined) return expand(piece);
    return escaped === 'n' ? '\n' : escaped === 'r' ? '\r' : escaped;
  });
}

/** @returns the text as parseEnvFile reads it again, whatever is in it */
export function quoteEnv(text: string): string {
  if (/^[\w./:@+,-]*$/.test(text)) return text;
  // A carriage return alone would become a line break.
  if (!text.includes("'") && !text.includes('\r')) return `'${text}'`;
  const escaped = text
    .replace(/[\\"$]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r');
  return `"${escaped}"`;
}
