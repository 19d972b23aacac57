/**
 * `npm run bench:reliability [-- --long rel-01 rel-09 …]`: runs the reliability tests one by one, so that none disturbs another,
 * and writes the figures they print into docs/reliability.md.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { LONG_VARIABLE, TIMEOUT_SECONDS } from '../test/support/long-form.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = `${root}docs/reliability.md`;
const BEGIN = '<!-- measured: written by npm run bench:reliability -->';
const END = '<!-- /measured -->';
const HEAD = '| test | demanded | measured | the test | load before |\n|---|---|---|---|--:|\n';
/** `| REL-01 | what is demanded | what is asserted |` of the table before. */
const DEMAND = /^\| (REL-\d\d) \| (.*?) \|/gm;

/** A comment of a test; where it makes none, the title of an assertion with a time or a size in it. */
const COMMENT = /^ +# (?!Subtest|time=|\{)(.*)$/;
const TITLE = /^ +(?:not )?ok \d+ - (.*?)(?: # time=.*)?$/;
const HAS_UNIT = /\d ?(?:ms|s|MiB|MB|%)(?![\w/])/;

interface Row {
  readonly name: string;
  readonly text: string;
}

/**
 * @param demands by id: `REL-01`
 * @param isLong runs the long form of a test that has two
 */
async function run(file: string, demands: ReadonlyMap<string, string>, isLong: boolean): Promise<Row> {
  const load = loadavg()[0]!.toFixed(1);
  const child = spawn(process.execPath, [`${root}dist/test/reliability/${file}`], {
    cwd: root,
    env: {
      ...process.env,
      // A file that runs alone would have 30 s.
      TAP_TIMEOUT: String(TIMEOUT_SECONDS[isLong ? 'long' : 'short']),
      ...(isLong ? { [LONG_VARIABLE]: '1' } : {}),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const comments = new Set<string>();
  const titles = new Set<string>();
  let assertions = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    assertions = Number(/^# \{ total: (\d+)/.exec(line)?.[1] ?? assertions);
    for (const [pattern, found] of [
      [COMMENT, comments],
      [TITLE, titles],
    ] as const) {
      const text = pattern.exec(line)?.[1] ?? '';
      if (HAS_UNIT.test(text)) found.add(text.replaceAll('|', '\\|'));
    }
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const name = file.replace(/(\.alone)?\.test\.js$/, '');
  const figures = [...(comments.size > 0 ? comments : titles)];
  const measured = figures.length > 0 ? figures.join('; ') : `${assertions} assertions`;
  const demanded = demands.get(name.slice(0, 6).toUpperCase()) ?? '';
  const text = `| ${name} | ${demanded} | ${measured} | ${code === 0 ? 'passes' : 'failed'} | ${load} |`;
  process.stdout.write(`${text}\n`);
  return { name, text };
}

async function main(args: readonly string[]): Promise<void> {
  const isLong = args.includes('--long');
  const wanted = args.filter((arg) => arg !== '--long');
  const files = readdirSync(`${root}dist/test/reliability`)
    .filter((file) => /^rel-\d\d-.*\.test\.js$/.test(file))
    .filter((file) => wanted.length === 0 || wanted.some((id) => file.startsWith(id)))
    .sort();
  if (files.length === 0) throw new Error(`No test begins with ${wanted.join(' or ')}.`);
  const { demands } = readPage();
  const rows: Row[] = [];
  for (const file of files) rows.push(await run(file, demands, isLong));
  writeRows(rows);
}

function readPage() {
  const text = readFileSync(page, 'utf8');
  const [start, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`docs/reliability.md has no ${BEGIN} … ${END}`);
  return {
    before: text.slice(0, start),
    lines: text.slice(start, end).match(/^\| rel-.*$/gm) ?? [],
    after: text.slice(end),
    demands: new Map([...text.matchAll(DEMAND)].map(([, id, demanded]) => [id!, demanded!])),
  };
}

/** The page is read anew: half an hour may have passed, and others write here, too. */
function writeRows(measured: readonly Row[]): void {
  const { before, lines, after } = readPage();
  const rows = new Map(lines.map((line) => [line.split(' ')[1]!, line]));
  for (const { name, text } of measured) rows.set(name, text);
  const sorted = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.version}`;
  const note = `Last changed ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC on ${machine}. Load is that of the machine in the minute before; over the number of cores, times tell more of the machine than of Latchkey.`;
  writeFileSync(page, `${before}${BEGIN}\n\n${HEAD}${sorted.join('\n')}\n\n${note}\n\n${after}`);
}

await main(process.argv.slice(2));
