/** Names and values as the operating system holds them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The only reader of process.env (design.md 2): a copy, so that nothing that changes later can change the configuration. */
export function readEnvironment(): Environment {
  return { ...process.env };
}
