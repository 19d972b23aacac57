/** Names and values as the operating system holds them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The only reader of process.env. Returns a copy, so that later changes do not affect the configuration. */
export function readEnvironment(): Environment {
  return { ...process.env };
}
