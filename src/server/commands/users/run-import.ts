/** The import loop: stages, batches, refused rows, bookmark. */
import { rmSync } from 'node:fs';
import { noStageCounts, type StageCounts, type StageName, stageNames } from '../../importing/counts.js';
import { inBatches, type Place, type Stage, storeBatch } from '../../importing/stage.js';
import { type Bookmark, removeBookmark, writeBookmark } from './bookmark.js';
import type { Progress } from './progress.js';
import { openRefusedFile, type RefusedFile } from './refused-file.js';

export interface ImportPlan {
  readonly stages: readonly RunnableStage[];
  /** The source, for the bookmark. */
  readonly source: string;
  readonly bookmarkFile: string;
  readonly refusedFile: string;
  /** First line of that file, as of CSV. */
  readonly refusedHead?: string;
  readonly resumed: Bookmark | null;
  readonly progress: Progress;
  /** Called for each refused row. @param place of it in its source */
  readonly onRefused: (stage: StageName, line: number, place: string, reason: string) => void;
}

export interface RunnableStage {
  readonly name: StageName;
  run(plan: ImportPlan, from: Place, counts: StageCounts, refusals: RefusedFile): Promise<void>;
}

/** Imports the remaining rows of every stage, then deletes the bookmark. */
export async function runImport(plan: ImportPlan): Promise<StageCounts> {
  const { resumed, stages } = plan;
  const counts: StageCounts = resumed?.counts ?? noStageCounts();
  const refusals = openRefusedFile(plan.refusedFile, resumed?.refusedBytes ?? 0, plan.refusedHead);
  const done = resumed === null ? 0 : stageNames.indexOf(resumed.stage);
  try {
    for (const stage of stages) {
      const position = stageNames.indexOf(stage.name);
      if (position < done) continue;
      const from = resumed !== null && position === done ? resumed : { place: null, line: 0 };
      await stage.run(plan, from, counts, refusals);
    }
  } finally {
    plan.progress.end();
    refusals.close();
  }
  removeBookmark(plan.bookmarkFile);
  if (refusals.bytes() === 0) rmSync(plan.refusedFile, { force: true });
  return counts;
}

export function runnable<Item>(stage: Stage<Item>): RunnableStage {
  return {
    name: stage.name,
    async run(plan, from, counts, refusals) {
      const count = counts[stage.name];
      const { source, bookmarkFile } = plan;
      let last = from;
      const mark = (): void => {
        const { place, line } = last;
        writeBookmark(bookmarkFile, { source, stage: stage.name, place, line, refusedBytes: refusals.bytes(), counts });
      };
      mark();
      for await (const batch of inBatches(stage.rows(from))) {
        const { results, present } = await storeBatch(stage, batch);
        for (const [index, result] of results.entries()) {
          if (typeof result === 'string') {
            count[result] += 1;
            continue;
          }
          const { line, place, text } = batch[index]!;
          count.refused += 1;
          refusals.add(text);
          plan.onRefused(stage.name, line, place, result.reason);
        }
        const { line, place, share } = batch.at(-1)!;
        count.gone += (await stage.findGone?.(last.place, place, present)) ?? 0;
        last = { place, line };
        mark();
        plan.progress.show(share, stage.name, count);
      }
      count.gone += (await stage.findGone?.(last.place, null, [])) ?? 0;
    },
  };
}
