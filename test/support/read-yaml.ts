/** As much of YAML 1.2 as our own files use: block maps and lists, flow ones on a line, quoted and plain scalars. */

export type Yaml = string | null | Yaml[] | { [key: string]: Yaml };

interface Line {
  readonly indent: number;
  readonly text: string;
  readonly number: number;
}

/** @returns one value for each document. @throws on anything else than the subset, with its line */
export function readYaml(source: string): Yaml[] {
  return source.split(/^---$/m).map((document) => {
    const lines = document.split('\n').flatMap((raw, index): Line[] => {
      if (raw.includes('\t')) throw new Error(`line ${index + 1}: a tab`);
      const text = stripComment(raw).trimEnd();
      return text.trim() === '' ? [] : [{ indent: text.search(/\S/), text: text.trim(), number: index + 1 }];
    });
    const [value, next] = readBlock(lines, 0, lines[0]?.indent ?? 0);
    if (next < lines.length) throw new Error(`line ${lines[next]!.number}: indentation`);
    return value;
  });
}

/** Walks a path of keys and indexes. @throws when there is nothing there */
export function at(value: Yaml | undefined, ...path: readonly (string | number)[]): Yaml {
  let here: Yaml | undefined = value;
  for (const key of path) here = (here as Record<string | number, Yaml> | null)?.[key];
  if (here === undefined) throw new Error(`there is no ${path.join('.')}`);
  return here;
}

function stripComment(line: string): string {
  let quote = '';
  for (let i = 0; i < line.length; i++) {
    const character = line[i]!;
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '#' && (i === 0 || line[i - 1] === ' ')) return line.slice(0, i);
  }
  return line;
}

const KEY = /^("[^"]*"|[^\s"'{[][^:]*(?::[^\s:][^:]*)*):(?: +(.*))?$/;

function readBlock(lines: readonly Line[], start: number, indent: number): [Yaml, number] {
  const first = lines[start];
  if (first === undefined || first.indent < indent) return [null, start];
  if (first.text.startsWith('- ') || first.text === '-') return readList(lines, start, first.indent);
  return readMap(lines, start, first.indent);
}

function readList(source: readonly Line[], start: number, indent: number): [Yaml, number] {
  const lines = [...source];
  const list: Yaml[] = [];
  let index = start;
  while (lines[index]?.indent === indent && lines[index]!.text.startsWith('-')) {
    const line = lines[index]!;
    const rest = line.text.slice(1).trim();
    if (KEY.test(rest) && !rest.startsWith('{')) {
      // The map begins on the dash's own line.
      const inner = indent + line.text.indexOf(rest);
      lines[index] = { ...line, indent: inner, text: rest };
      const [value, next] = readMap(lines, index, inner);
      list.push(value);
      index = next;
    } else {
      list.push(readScalar(rest, line));
      index += 1;
    }
  }
  return [list, index];
}

function readMap(lines: readonly Line[], start: number, indent: number): [Yaml, number] {
  const map: Record<string, Yaml> = {};
  let index = start;
  while (lines[index]?.indent === indent) {
    const line = lines[index]!;
    const found = KEY.exec(line.text);
    if (found === null) throw new Error(`line ${line.number}: neither a key nor an item`);
    const key = found[1]!.replace(/^"|"$/g, '');
    if (Object.hasOwn(map, key)) throw new Error(`line ${line.number}: ${key} is there twice`);
    index += 1;
    if (found[2] !== undefined) map[key] = readScalar(found[2], line);
    else {
      const isList = lines[index]?.indent === indent && lines[index]!.text.startsWith('- ');
      [map[key], index] = readBlock(lines, index, isList ? indent : indent + 1);
    }
  }
  return [map, index];
}

function readScalar(text: string, { number }: Line): Yaml {
  if (/^[|>&*!%@`]/.test(text)) throw new Error(`line ${number}: not in the subset: ${text}`);
  if (!/^[[{"']/.test(text)) return text;
  const [value, rest] = readFlow(text, number);
  if (rest.trim() !== '') throw new Error(`line ${number}: ${rest}`);
  return value;
}

function readFlow(text: string, number: number): [Yaml, string] {
  const trimmed = text.trimStart();
  const quoted = /^"((?:[^"\\]|\\.)*)"|^'((?:[^']|'')*)'/.exec(trimmed);
  if (quoted !== null) {
    const value = quoted[1] === undefined ? quoted[2]!.replaceAll("''", "'") : (JSON.parse(quoted[0]) as string);
    return [value, trimmed.slice(quoted[0].length)];
  }
  if (trimmed.startsWith('[')) return readSequence(trimmed.slice(1), number);
  if (trimmed.startsWith('{')) return readMapping(trimmed.slice(1), number);
  const plain = /^[^,[\]{}]+/.exec(trimmed);
  if (plain === null) throw new Error(`line ${number}: ${trimmed}`);
  return [plain[0].trim(), trimmed.slice(plain[0].length)];
}

function readSequence(text: string, number: number): [Yaml, string] {
  const list: Yaml[] = [];
  let rest = text.trimStart();
  while (!rest.startsWith(']')) {
    const [value, after] = readFlow(rest, number);
    list.push(value);
    rest = after.trimStart().replace(/^,\s*/, '');
  }
  return [list, rest.slice(1)];
}

function readMapping(text: string, number: number): [Yaml, string] {
  const map: Record<string, Yaml> = {};
  let rest = text.trimStart();
  while (!rest.startsWith('}')) {
    const key = /^([^\s:{}[\],]+(?:\.[^\s:]+)*):\s+/.exec(rest);
    if (key === null) throw new Error(`line ${number}: ${rest}`);
    const [value, after] = readFlow(rest.slice(key[0].length), number);
    map[key[1]!] = value;
    rest = after.trimStart().replace(/^,\s*/, '');
  }
  return [map, rest.slice(1)];
}
