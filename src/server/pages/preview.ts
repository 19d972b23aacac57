/** The sign-in page as a configuration that is not in use would have it: one document, which loads nothing. */
import type { PageFlow } from '../../db/pages.js';
import type { Config } from '../config/settings.js';
import type { App } from '../runtime/app.js';
import { openPages } from './assets.js';
import type { Asset } from './contract.js';
import { renderDocument } from './layout.js';
import { showSignIn } from './sign-in-page.js';
import type { Visit } from './visit.js';

const flow: PageFlow = {
  ...{ id: 'preview', kind: 'account', redirect_to: null, code_challenge: null, code_challenge_method: null },
  ...{ subject: null, languages: '', address: '', sent_type: null, sent_seconds_ago: null, wants_password: false },
  ...{ browser_hash: null, session_id: null, wants_factor: false },
};

/**
 * @param draft whether the pages are on in it does not count
 * @throws Error of {@link openPages}
 */
export async function renderSignInPreview(app: App, draft: Config, wantedLanguage: string): Promise<string> {
  // What needs a script would be an empty place.
  const config = { ...draft, pagesEnabled: true, passkeyEnabled: false, securityCaptchaEnabled: false };
  const pages = openPages(config)!;
  const language = pages.chooseLanguage([wantedLanguage]);
  const visit = {
    // The parts of a request may be inherited (runtime/request-app.ts).
    ...{
      app: Object.create(app, { config: { value: config }, pages: { value: pages } }) as App,
      pages,
      language,
      words: language.words,
      flow,
      up: '',
      error: null,
    },
    ...{ query: new Map(), form: new Map(), accounts: [], formToken: '', address: '' },
  } as unknown as Visit;
  return inline(renderDocument(visit, await showSignIn(visit)), pages.assets);
}

/** Puts what the document loads into it, as the layout writes it. */
function inline(document: string, assets: ReadonlyMap<string, Asset>): string {
  const textOf = (name: string): string => Buffer.from(assets.get(name)!.bytes).toString().replace(/<\//g, '<\\/');
  const imageOf = (name: string): string => {
    const { type, bytes } = assets.get(name)!;
    return `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
  };
  return document
    .replace(/<script[^>]*><\/script>\n?/g, '')
    .replace(/<link rel="icon"[^>]*>\n?/g, '')
    .replace(/<link rel="stylesheet" href="assets\/([^"]+)">/g, (_, name: string) => `<style>${textOf(name)}</style>`)
    .replace(/<img src="assets\/([^"]+)"/g, (_, name: string) => `<img src="${imageOf(name)}"`)
    .replace(/ autofocus(?=[ >])/g, '');
}
