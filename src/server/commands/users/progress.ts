import type { CommandIo } from '../../cli/types.js';
import type { Counts } from '../../importing/counts.js';

export interface Progress {
  /** @param share from 0 to 1; null: no one knows */
  show(share: number | null, what: string, counts: Partial<Counts>): void;
  end(): void;
}

const BAR_WIDTH = 30;
const EVERY_MS = { terminal: 100, lines: 5000 };

/** A bar on a terminal, a line every five seconds elsewhere. */
export function openProgress(io: CommandIo, now: () => number = () => performance.now()): Progress {
  const isTerminal = io.isTerminal === true;
  const startMs = now();
  let lastMs = startMs;
  let hasBar = false;
  return {
    show(share, what, counts) {
      if (now() - lastMs < (isTerminal ? EVERY_MS.terminal : EVERY_MS.lines)) return;
      lastMs = now();
      const { gone: _, ...rows } = counts;
      const done = Object.values(rows).reduce((sum, count) => sum + count, 0);
      const percent = share === null ? '' : `${Math.floor(share * 100)} %, `;
      const words = `${percent}${done} ${what}, ${Math.round((lastMs - startMs) / 1000)} s`;
      if (!isTerminal) return io.err(`${words}\n`);
      const filled = Math.round((share ?? 0) * BAR_WIDTH);
      io.err(`\r[${'#'.repeat(filled)}${' '.repeat(BAR_WIDTH - filled)}] ${words}\u001b[K`);
      hasBar = true;
    },
    end() {
      if (hasBar) io.err('\r\u001b[K');
    },
  };
}
