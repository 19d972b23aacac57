/** A server that does not answer as usual, as a browser with the console open sees it. */
import type { Page, Route } from 'playwright-core';

/** The operator is asked for at first, and does get an answer: what follows is the page's own. */
async function changeAnswers(page: Page, answer: (route: Route) => Promise<void>): Promise<void> {
  let isFirst = true;
  await page.route('**/api/**', async (route) => {
    const isWho = isFirst && new URL(route.request().url()).pathname === '/api/me';
    isFirst &&= !isWho;
    await (isWho ? route.continue() : answer(route));
  });
}

/** Requests wait for ever. */
export const keepWaiting = (page: Page): Promise<void> => changeAnswers(page, () => new Promise(() => undefined));

/** Nobody answers, as without a network. */
export const refuseConnections = (page: Page): Promise<void> =>
  changeAnswers(page, (route) => route.abort('connectionrefused'));

/** What the server answers when its database does not. */
export const answerUnavailable = (page: Page): Promise<void> =>
  changeAnswers(page, (route) =>
    route.fulfill({
      status: 503,
      contentType: 'application/json',
      body: JSON.stringify({
        code: 503,
        error_code: 'service_unavailable',
        msg: 'Service unavailable, try again',
        error_id: '0f8fad5b-d9cb-469f-a165-70867728950e',
      }),
    }),
  );

/** As a server where nothing has happened yet: answers have no objects in their lists. */
export const emptyLists = (page: Page): Promise<void> =>
  changeAnswers(page, async (route) => {
    const response = await route.fetch();
    // The frame of previews is a document.
    const isJson = response.headers()['content-type']?.includes('json');
    await route.fulfill(isJson ? { response, json: withoutItems(await response.json()) } : { response });
  });

function withoutItems(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => typeof item !== 'object');
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutItems(member)]));
}
