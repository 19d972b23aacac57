/** Links of mails that were sent from the pages. They lead to /ui/link instead of redeeming at once. */
import type { Config } from '../config/settings.js';

/** Redirect target of a code that a page sends; mail/confirmation-url.ts makes the link of it. */
export const linkTarget = ({ config }: { readonly config: Pick<Config, 'apiExternalUrl'> }, flowId: string): string =>
  `${config.apiExternalUrl}/ui/link?flow=${flowId}`;
