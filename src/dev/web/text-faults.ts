/** Checks the texts of the hosted pages: each language has the keys of English, with the same placeholders. */

type Texts = Readonly<Record<string, string>>;

/** @param files name such as en.json → its texts. @returns one sentence for each fault */
export function findTextFaults(files: Readonly<Record<string, Texts>>): string[] {
  const english = files['en.json'] ?? {};
  const keys = Object.keys(english);
  return Object.entries(files).flatMap(([name, texts]) => [
    ...keys.filter((key) => !texts[key]).map((key) => `${name} has no ${key}`),
    ...Object.keys(texts)
      .filter((key) => english[key] === undefined)
      .map((key) => `${name} has ${key}, which en.json has not`),
    ...keys
      .filter((key) => texts[key] && placeholders(texts[key]) !== placeholders(english[key]!))
      .map((key) => `${name} has other placeholders in ${key}`),
  ]);
}

const placeholders = (text: string): string => [...text.matchAll(/\{[a-z]+\}/g)].map(String).sort().join();
