/** Guides show the files of their examples whole, so that a reader can paste them. */

/** A name in bold and code, then the file. */
const SHOWN_FILE = /^\*\*`([^`\n]+)`\*\*\n\n(```\w*)\n[\s\S]*?\n```$/gm;

/** @param path of a guide, such as `docs/guides/next-js.md`. @returns where its example is, if it has one */
export const exampleOf = (path: string): string => path.replace(/^docs\/guides\/(.*)\.md$/, 'examples/$1');

/** @returns the files that a guide shows, by their paths in its example */
export const shownFiles = (guide: string): string[] => [...guide.matchAll(SHOWN_FILE)].map(([, file]) => file!);

/** @param readFile by a path in the example; throws where there is none. @returns the guide with its files as they are */
export function insertFiles(guide: string, readFile: (path: string) => string): string {
  return guide.replace(
    SHOWN_FILE,
    (_shown, file: string, fence: string) => `**\`${file}\`**\n\n${fence}\n${readFile(file).trimEnd()}\n\`\`\``,
  );
}
