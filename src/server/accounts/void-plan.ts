/** Plans are made on a read; what they write may find that they no longer hold, and then they are made again. */

/** Rolls the transaction of a plan back that no longer holds. */
export class VoidPlanError extends Error {}

/** @throws VoidPlanError where the statement found nothing to write to */
export function orVoid<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new VoidPlanError();
  return row;
}

/** @returns undefined when the plan is void: also when another account took what the row was to have (23505) */
export async function unlessVoid<Row>(writing: Promise<Row | undefined>): Promise<Row | undefined> {
  try {
    return await writing;
  } catch (error) {
    if (error instanceof VoidPlanError || (error as { code?: string }).code === '23505') return undefined;
    throw error;
  }
}
