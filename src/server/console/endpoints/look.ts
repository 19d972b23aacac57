/** The sign-in page as it is, and as a draft would have it; and the frame for previews. */

import { findPageFaults } from '../../config/page-checks.js';
import type { Config } from '../../config/settings.js';
import { renderSignInPreview } from '../../pages/preview.js';
import type { App } from '../../runtime/app.js';
import { consoleBody, defineConsole, listOf, objectOf, textField } from '../define-console.js';
import { applyToConfig, changesField, type DraftFault, MAX_DRAFT_BYTES } from '../draft-config.js';
import { forceScheme, schemeOf } from '../force-scheme.js';
import { PREVIEW_DOCUMENT, PREVIEW_POLICY } from '../preview-frame.js';

const text = { type: 'string' } as const;
const languageField = textField('Of the page; default: en.');
const schemeField = textField('light or dark.');
const answer = {
  description:
    'The page, for a frame without origin and scripts. `faults`: changes it is without, and what a start would refuse.',
  body: objectOf({
    html: text,
    is_on: { type: 'boolean', description: 'False: the pages are off.' },
    faults: listOf(objectOf({ name: text, problem: text })),
  }),
} as const;

async function preview(
  app: App,
  draft: Config,
  language: string | undefined,
  scheme: string | undefined,
  faults: DraftFault[],
) {
  const html = forceScheme(await renderSignInPreview(app, draft, language ?? 'en'), schemeOf(scheme));
  return { status: 200, body: { html, is_on: draft.pagesEnabled, faults } };
}

export const getLookPreview = defineConsole({
  method: 'GET',
  path: '/api/look/preview',
  role: 'viewer',
  query: { language: languageField, scheme: schemeField },
  id: 'previewLook',
  tag: 'Settings',
  summary: 'Renders the sign-in page of the hosted pages, also where they are off.',
  answer,
  handler: (app, { query }) => preview(app, app.config, query.get('language'), query.get('scheme'), []),
});

export const postLookPreview = defineConsole({
  method: 'POST',
  path: '/api/look/preview',
  role: 'admin',
  maxBodyBytes: MAX_DRAFT_BYTES,
  body: consoleBody({ language: languageField, scheme: schemeField, changes: changesField }, 'changes'),
  id: 'previewLookDraft',
  tag: 'Settings',
  summary: 'Renders the sign-in page as changes of settings would have it, which are not stored.',
  answer,
  async handler(app, { caller, body: { language, scheme, changes } }) {
    const { config: draft, faults } = applyToConfig(app.config, changes, caller.role);
    const config = keepFiles(app.config, draft);
    const found = [...faults, ...findLookFaults(config)];
    try {
      return await preview(app, config, language, scheme, found);
    } catch (error) {
      // A file that cannot be read, or a text that no page has.
      const problem = (error as Error).message.replace(/^AUTH_\w+:? /, '');
      const name = /^AUTH_\w+/.exec((error as Error).message)?.[0] ?? 'AUTH_PAGES_LOGO_FILE';
      return preview(app, app.config, language, scheme, [...found, { name, problem }]);
    }
  },
});

/** A draft must not read another file of the server. */
const keepFiles = ({ pagesLogoFile, oauthServerPageCss }: Config, draft: Config): Config => ({
  ...draft,
  pagesLogoFile: draft.pagesLogoFile && pagesLogoFile,
  oauthServerPageCss: draft.oauthServerPageCss && oauthServerPageCss,
});

/** Contrast and links, whether the pages are on or not. */
const findLookFaults = (config: Config): DraftFault[] =>
  findPageFaults({ ...config, pagesEnabled: true, securityCaptchaEnabled: false }, nameOfKey).map(
    ({ fault: { variable, problem } }) => ({ name: variable, problem }),
  );

/** `pagesColorsDark` is AUTH_PAGES_COLORS_DARK. */
const nameOfKey = (key: string): string => `AUTH_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

export const getPreviewFrame = defineConsole({
  method: 'GET',
  path: '/api/preview-frame',
  role: 'viewer',
  id: 'openPreviewFrame',
  tag: 'Settings',
  summary: 'The document in which the console shows mails and pages: it shows the HTML that its parent sends it.',
  answer: { description: 'A document of an opaque origin.', contentType: 'text/html', body: text },
  handler: () => ({
    status: 200,
    body: PREVIEW_DOCUMENT,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': PREVIEW_POLICY,
      'X-Frame-Options': 'SAMEORIGIN',
    },
  }),
});
