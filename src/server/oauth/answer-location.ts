/**
 * The redirect URI with the parameters of an answer (RFC 6749 4.1.2). Parameters of these names that it has are replaced;
 * the rest of it stays byte for byte.
 * @param answer null values are left out
 */
export function answerLocation(redirectUri: string, answer: Readonly<Record<string, string | null>>): string {
  const mark = redirectUri.indexOf('?');
  const [base, query] = mark === -1 ? [redirectUri, ''] : [redirectUri.slice(0, mark), redirectUri.slice(mark + 1)];
  const kept = query.split('&').filter((pair) => pair !== '' && !(nameOf(pair) in answer));
  const added = Object.entries(answer).flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return `${base}?${[...kept, ...added].join('&')}`;
}

/** The decoded name of a parameter; as it is when its encoding is broken. */
function nameOf(pair: string): string {
  const [name = ''] = pair.split('=');
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}
