/** How an application is registered at a provider, for the console and docs/provider-setup.md. As of November 2026. */

export interface ProviderGuide {
  readonly title: string;
  /** Where the provider lists applications; null: each installation has an address of its own. */
  readonly registerAt: string | null;
  /** In order. Words of the provider's pages stand between asterisks. */
  readonly steps: readonly string[];
  /** What often goes wrong, or is to be known before. */
  readonly notes?: readonly string[];
  /** The provider takes no new applications for it: what to use instead. */
  readonly replacedBy?: string;
}
