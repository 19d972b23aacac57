import { type Command, type CommandIo, EXIT } from '../../cli/types.js';
import { openHashSource, SourceError } from './hash-lines.js';
import { writeFilter } from './write-filter.js';

const DEFAULT_RATE = '1e-6';
const DEFAULT_FILE = 'leaked-passwords.filter';

export const buildFilter: Command = {
  summary: 'Make the file of AUTH_PASSWORD_HIBP_FILE from a download of leaked passwords',
  help: `Reads a download of https://haveibeenpwned.com/Passwords (SHA-1, not NTLM): one file of HASH:COUNT lines in any
order, or a folder of range files. Writes a filter of about 29 bits for each password at a rate of 1e-6: 3.6 GB for a
billion, 36 MB for the ten million most frequent. The download is read twice. The filter is written under another name
and renamed when it is complete, so that a running server and an interrupted run never see half of one.`,
  options: {
    from: { type: 'string', argument: 'DOWNLOAD', doc: 'the file or folder to read' },
    to: { type: 'string', argument: 'FILE', doc: `the filter to write (default ${DEFAULT_FILE})` },
    rate: {
      type: 'string',
      argument: 'RATE',
      doc: `share of other passwords that are rejected, too (default ${DEFAULT_RATE})`,
    },
    top: { type: 'string', argument: 'NUMBER', doc: 'only the most frequent, e.g. 500k or 10m' },
  },
  run: async ({ values }, io) => {
    const from = String(values['from'] ?? '');
    if (from === '') return refuse(io, 'Say what to read: latchkey passwords build-filter --from DOWNLOAD');
    const rate = Number(values['rate'] ?? DEFAULT_RATE);
    if (!(rate >= 1e-9 && rate <= 0.1)) return refuse(io, '--rate must be a number from 1e-9 to 0.1, e.g. 1e-6');
    const top = values['top'] === undefined ? null : parseAmount(String(values['top']));
    if (top === undefined) return refuse(io, '--top must be a number of passwords, e.g. 500k or 10m');

    const to = String(values['to'] ?? DEFAULT_FILE);
    const progress = openShares(io);
    try {
      const plan = { source: openHashSource(from), to, rate, top, onProgress: progress.show };
      const { entries, blocks } = await writeFilter(plan);
      progress.end();
      io.out(`${to}: ${entries} passwords, ${(blocks + 1) * 4} KiB. Set AUTH_PASSWORD_HIBP_FILE to it.\n`);
      return EXIT.ok;
    } catch (error) {
      progress.end();
      if (!(error instanceof SourceError) && (error as NodeJS.ErrnoException).code === undefined) throw error;
      io.err(`No filter was written: ${(error as Error).message}\n`);
      return EXIT.failed;
    }
  },
};

function refuse(io: CommandIo, text: string): number {
  io.err(`${text}\n`);
  return EXIT.wrongUsage;
}

/** @returns undefined for anything but a positive number with k or m */
function parseAmount(text: string): number | undefined {
  const [, digits, unit = ''] = /^([1-9]\d{0,9})([km]?)$/i.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return Number(digits) * { '': 1, k: 1_000, m: 1_000_000 }[unit.toLowerCase()]!;
}

/** A line that is renewed on a terminal, or one every five seconds. */
function openShares(io: CommandIo) {
  const everyMs = io.isTerminal ? 100 : 5000;
  let lastMs = performance.now();
  let hasLine = false;
  return {
    show(stage: string, share: number) {
      if (performance.now() - lastMs < everyMs) return;
      lastMs = performance.now();
      const text = `${stage} ${Math.floor(share * 100)} %`;
      io.err(io.isTerminal ? `\r${text}\u001b[K` : `${text}\n`);
      hasLine = io.isTerminal === true;
    },
    end() {
      if (hasLine) io.err('\r\u001b[K');
    },
  };
}
