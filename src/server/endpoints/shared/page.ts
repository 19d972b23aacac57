/** Requests of browsers for the hosted pages, and their answers. */

import { type ApiError, apiError, asApiError } from '../../errors.js';
import { hashBrowserSecret, isBrowserSecret, makeBrowserSecret } from '../../external/flow-state.js';
import type { ApiRequest, Reply } from '../../http/types.js';
import { findAccounts, isFormToken, makeFormToken } from '../../pages/browser.js';
import { showFailure } from '../../pages/error-page.js';
import { beginPageFlow, readPageFlow } from '../../pages/flow.js';
import { documentHeaders, type Frame, renderDocument, type View } from '../../pages/layout.js';
import type { PageOf, PageOutcome } from '../../pages/outcome.js';
import type { Visit } from '../../pages/visit.js';
import type { App } from '../../runtime/app.js';
import { audienceOf, clientOf } from './client.js';
import { keepPageSecret, readPageSecret } from './page-cookie.js';

/** Answers a GET. */
export async function answerPage(app: App, request: ApiRequest, show: PageOf): Promise<Reply> {
  const { visit, secret } = await openVisit(app, request, null);
  return follow(visit, asOutcome(await show(visit)), secret);
}

/** Answers a GET of a page that belongs to no flow; it needs no database. */
export function answerPlainPage(app: App, request: ApiRequest, show: (frame: Frame) => View): Reply {
  const frame = frameOf(app, request, '');
  return renderFrame(frame, show(frame), null);
}

const asOutcome = (shown: View | PageOutcome): PageOutcome => ('main' in shown ? { view: shown } : shown);

/** Answers a GET that leads somewhere. */
export async function answerStep(
  app: App,
  request: ApiRequest,
  step: (visit: Visit) => Promise<PageOutcome>,
): Promise<Reply> {
  const { visit, secret } = await openVisit(app, request, null);
  return follow(visit, await step(visit), secret);
}

/**
 * Answers a form. One that was sent from elsewhere does nothing; one of a lost cookie or an expired flow is shown again.
 * @throws ApiError formFromElsewhere, formOutdated, and what the rules throw
 */
export async function answerForm(
  app: App,
  request: ApiRequest,
  submit: (visit: Visit) => Promise<PageOutcome>,
): Promise<Reply> {
  if (!isFromHere(app, request)) throw apiError('formFromElsewhere');
  const { visit, secret } = await openVisit(app, request, null);
  const given = request.form.get('form_token') ?? '';
  if (secret !== null || visit.isNewFlow || !isFormToken(given, visit.formToken)) throw apiError('formOutdated');
  return follow(visit, await submit(visit), null);
}

/** Browsers name the origin of every form (https://fetch.spec.whatwg.org/#origin-header). */
function isFromHere({ config }: App, request: ApiRequest): boolean {
  const origin = request.header('origin') ?? '';
  if (origin === new URL(config.apiExternalUrl).origin) return true;
  // The same machine by another name, in development.
  return URL.canParse(origin) && new URL(origin).host === request.header('host');
}

/** Opened once for a request: the error page of a form needs it again. */
const visits = new WeakMap<ApiRequest, Promise<Opened>>();

interface Opened {
  readonly visit: Visit;
  /** A new secret, which the answer gives out; null: the browser has one. */
  readonly secret: string | null;
}

async function openVisit(app: App, request: ApiRequest, error: ApiError | null): Promise<Opened> {
  const opening = visits.get(request) ?? readVisit(app, request);
  visits.set(request, opening);
  const { visit, secret } = await opening;
  return { visit: { ...visit, error }, secret };
}

async function readVisit(app: App, request: ApiRequest): Promise<Opened> {
  const known = readPageSecret(app, request);
  const secret = known ?? makeBrowserSecret();
  const secretHash = hashBrowserSecret(secret);
  const [found, accounts] = await Promise.all([
    readPageFlow(app, request.query.get('flow')),
    known === null ? [] : findAccounts(app, secretHash),
  ]);
  const typed = request.form.get('address');
  // A flow is a row, which anybody can make.
  if (found === undefined) await app.limits.takeForClient('authorize', request);
  const wanted = request.query.get('redirect_to');
  const redirectTo = wanted === undefined ? null : app.redirects.choose([wanted]).url;
  const flow = found ?? (await beginPageFlow(app, { ...beginningOf(request), redirectTo }));
  const frame = frameOf(app, request, flow.languages);
  const visit: Visit = {
    ...frame,
    client: clientOf(request),
    audience: audienceOf(app, request),
    query: request.query,
    form: request.form,
    flow,
    isNewFlow: found === undefined,
    accounts,
    secretHash,
    formToken: makeFormToken(app.keys.flow.current, secretHash, flow.id),
    address: typed ?? flow.address,
    requestId: request.id,
    request,
  };
  return { visit, secret: known === null ? secret : null };
}

/** The requests of clients and devices and the account page begin with themselves; every other page begins with the account. */
function beginningOf({ path, query, form }: ApiRequest) {
  const languages = query.get('ui_locales') ?? '';
  const address = form.get('address') ?? query.get('login_hint') ?? '';
  const section = /^\/ui\/account(?:\/([a-zA-Z\d/-]+))?$/.exec(path);
  if (section !== null) return { kind: 'manage', subject: section[1] ?? '', address, languages } as const;
  if (path === '/ui/device') return { kind: 'device', address, languages } as const;
  const subject = query.get('authorization_id');
  return subject === undefined
    ? ({ kind: 'account', address } as const)
    : ({ kind: 'consent', subject, address, languages } as const);
}

/** From the page to /ui/. */
const upFrom = ({ path }: ApiRequest): string => '../'.repeat(path.split('/').length - 3);

/** What needs no database. */
function frameOf(app: App, request: ApiRequest, languages: string): Frame {
  const pages = app.pages!;
  const language = pages.chooseLanguage([languages, request.header('accept-language') ?? '']);
  return { app, pages, language, words: language.words, up: upFrom(request), error: null };
}

/** The page with the error above it; for faults of the server a page of their own. */
export async function answerError(app: App, request: ApiRequest, error: ApiError, show: PageOf): Promise<Reply> {
  const again = request.query.get('flow');
  const page = `${upFrom(request)}sign-in`;
  const to = again === undefined ? page : `${page}?flow=${encodeURIComponent(again)}`;
  const fail = (failure: ApiError): Reply => {
    const frame = frameOf(app, request, '');
    return renderFrame(frame, showFailure(frame, failure, request.id, to), null);
  };
  if (error.status >= 500) return fail(error);
  try {
    const { visit, secret } = await openVisit(app, request, error);
    const outcome = asOutcome(await show(visit));
    // The page asks for something that an outdated form cannot have: another page goes on, with the address.
    if (outcome.view === undefined)
      return error.entry === 'formOutdated' ? follow(visit, outcome, secret) : fail(error);
    return render(visit, { status: error.status, ...outcome.view }, secret);
  } catch (cause) {
    // What the page lacks is no business of another site.
    return fail(error.entry === 'formFromElsewhere' ? error : asApiError(cause));
  }
}

function follow(visit: Visit, { to, view, file, secret: renewed }: PageOutcome, secret: string | null): Reply {
  if (file !== undefined) return saveFile(file);
  if (view !== undefined) return render(visit, view, renewed ?? secret);
  const headers = { Location: to, 'Cache-Control': 'no-store', ...cookieOf(visit, renewed ?? secret) };
  return { status: 303, headers };
}

const saveFile = ({ name, type, text }: NonNullable<PageOutcome['file']>): Reply => ({
  status: 200,
  headers: {
    'Content-Type': type,
    'Content-Disposition': `attachment; filename="${name}"`,
    'Cache-Control': 'no-store',
    'Cross-Origin-Resource-Policy': 'same-origin',
  },
  body: text,
});

const render = (visit: Visit, view: View, secret: string | null): Reply => renderFrame(visit, view, secret);

function renderFrame(frame: Frame, view: View, secret: string | null): Reply {
  const hasCaptcha = view.hasCaptcha === true && frame.app.config.securityCaptchaEnabled;
  return {
    status: view.status ?? 200,
    headers: {
      ...documentHeaders(frame.app.config, hasCaptcha, view.onwardTo !== undefined),
      ...cookieOf(frame, secret),
    },
    body: renderDocument(frame, { ...view, hasCaptcha }),
  };
}

const cookieOf = ({ app }: Pick<Visit, 'app'>, secret: string | null): Readonly<Record<string, string>> =>
  secret === null || !isBrowserSecret(secret) ? {} : keepPageSecret(app, secret);
