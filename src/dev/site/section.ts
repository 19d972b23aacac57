/** What the tree of the site is made of. */

export interface SitePage {
  /** The markdown file, from the root of the repository. */
  readonly source: string;
  /** In the sidebar. */
  readonly text: string;
}

export interface SiteGroup {
  /** Heading in the sidebar; empty: the pages stand right under the section. */
  readonly text: string;
  readonly pages: readonly SitePage[];
}

export interface SiteSection {
  readonly text: string;
  /** On the first page: for whom it is. */
  readonly about: string;
  readonly groups: readonly SiteGroup[];
}

/** @param pages name in the sidebar, by markdown file */
export const group = (text: string, pages: Readonly<Record<string, string>>): SiteGroup => ({
  text,
  pages: Object.entries(pages).map(([source, name]) => ({ source, text: name })),
});
