/** Links of mails that were sent from the hosted pages. They lead to /ui/link instead of redeeming at once. */
import type { Config } from '../config/settings.js';

type Settings = Pick<Config, 'apiExternalUrl' | 'pagesEnabled'>;

const prefixOf = ({ apiExternalUrl }: Settings): string => `${apiExternalUrl.replace(/\/$/, '')}/ui/link?flow=`;

/** Redirect target of a code that a page sends. */
export const pageLinkTarget = (config: Settings, flowId: string): string => `${prefixOf(config)}${flowId}`;

/** Whether a redirect target is that of a page, which gets the token of the link itself. */
export const isPageLink = (config: Settings, redirectTo: string): boolean =>
  config.pagesEnabled && redirectTo.startsWith(prefixOf(config));
