/**
 * Looks that may overlap: what an earlier one found does not replace what a later one has.
 * @param read throws: nothing is adopted
 * @param adopt takes what was read
 * @returns looks once. @throws what `read` throws
 */
export function lookInTurn<Found>(read: () => Promise<Found>, adopt: (found: Found) => void): () => Promise<void> {
  let begun = 0;
  let adopted = 0;
  return async () => {
    begun += 1;
    const turn = begun;
    const found = await read();
    if (turn < adopted) return;
    adopted = turn;
    adopt(found);
  };
}
