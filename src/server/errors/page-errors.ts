/** Hosted pages. */
import type { ErrorEntries } from './entry.js';

export const pageEntries = {
  pagesDisabled: [404, 'pages_disabled', 'Hosted pages are disabled'],
  refusalNotFound: [404, 'page_not_found', 'The link is not complete'],
  assetNotFound: [404, 'asset_not_found', 'There is no such file'],
  formFromElsewhere: [403, 'form_from_elsewhere', 'The form was sent from another origin'],
  formOutdated: [409, 'form_outdated', 'The form belongs to another browser or has expired'],
} as const satisfies ErrorEntries;
