/** Joins the messages of a chain of causes; they contain no tokens, codes or secrets. */
export function joinCauses(cause: Error): string {
  const inner = cause.cause instanceof Error ? `: ${joinCauses(cause.cause)}` : '';
  return `${cause.message}${inner}`.slice(0, 1000);
}
