/** Flows of the pages: what follows a sign-in. Their state is in the database, so a second tab or Back goes on. */
import { randomUUID } from 'node:crypto';
import { findPageFlow, insertPageFlow, type NewPageFlow, type PageFlow } from '../../db/pages.js';
import { isUuid } from '../../db/uuid.js';
import type { App } from '../runtime/app.js';

/** Longer than somebody leaves a tab open over night. Then the sign-in goes on, but ends at SITE_URL. */
export const FLOW_SECONDS = 86_400;
const MAX_ADDRESS_CHARACTERS = 320;
const MAX_LANGUAGES_CHARACTERS = 100;

type Beginning = Partial<Omit<NewPageFlow, 'id'>> & Pick<NewPageFlow, 'kind'>;

/** @param given what the flow ends with, and what the application knows of the person. @returns the new flow */
export async function beginPageFlow(app: Pick<App, 'db' | 'housekeeping'>, given: Beginning): Promise<PageFlow> {
  const flow: NewPageFlow = {
    id: randomUUID(),
    redirectTo: null,
    pkce: null,
    subject: null,
    browserHash: null,
    wantsPassword: false,
    ...given,
    address: (given.address ?? '').slice(0, MAX_ADDRESS_CHARACTERS),
    languages: (given.languages ?? '').slice(0, MAX_LANGUAGES_CHARACTERS),
  };
  await insertPageFlow(app.db, flow);
  app.housekeeping.recordFlow();
  return {
    id: flow.id,
    kind: flow.kind,
    redirect_to: flow.redirectTo,
    code_challenge: flow.pkce?.challenge ?? null,
    code_challenge_method: flow.pkce?.method ?? null,
    subject: flow.subject,
    languages: flow.languages,
    address: flow.address,
    sent_type: null,
    sent_seconds_ago: null,
    wants_password: flow.wantsPassword,
    browser_hash: flow.browserHash,
    session_id: null,
    wants_factor: false,
  };
}

/** @param id as in the address of the page. @returns undefined for none that is valid */
export async function readPageFlow(app: Pick<App, 'db'>, id: string | undefined): Promise<PageFlow | undefined> {
  return id !== undefined && isUuid(id) ? findPageFlow(app.db, id, FLOW_SECONDS) : undefined;
}
