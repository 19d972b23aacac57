/** Traces of sign-ins at providers: an operator opens one for one attempt (docs/decisions.md, Traces of providers). */
import { randomUUID } from 'node:crypto';
import { listProviderTraces, openProviderTrace, readProviderTrace, type TraceStep } from '../../db/provider-traces.js';
import { isUuid } from '../../db/uuid.js';
import { logAudit, storedAudit } from '../accounts/audit.js';
import { apiError, type ErrorName } from '../errors.js';
import { PROVIDER_FLOW_SECONDS } from '../external/callback.js';
import { makeTicket } from '../external/flow-state.js';
import { TRACE_PARAMETER } from '../external/tracing/describe-step.js';
import type { App } from '../runtime/app.js';
import { explanations } from './explanations/index.js';
import { linkingRules } from './explanations/linking-rules.js';
import { companyRules, samlCures } from './explanations/saml-checks.js';
import { readProvider } from './known-providers.js';
import { type OperatorDeed, operatorEntry } from './operator-audit.js';

/** In which its address has to be opened. */
const VALID_SECONDS = 600;
/** After the flow: what the callback does takes a while. */
const RETURN_SECONDS = PROVIDER_FLOW_SECONDS + 60;
const MOST_LISTED = 20;

/**
 * Opens a trace for one attempt.
 * @returns the address that starts it, which is not shown again
 * @throws ApiError providerUnknown, unsupportedProvider
 */
export async function openTrace(app: App, deed: OperatorDeed, name: string, isDry: boolean) {
  const { name: provider, enabled, problem } = await readProvider(app, name);
  if (!enabled) throw apiError('unsupportedProvider', { reason: 'provider is not enabled' });
  if (problem !== null) throw apiError('unsupportedProvider', { reason: problem });
  return storeTrace(app, deed, provider, isDry);
}

/** @param provider as the trace names it: `sso:<id>` for a company. @returns as {@link openTrace} */
export async function storeTrace(app: App, deed: OperatorDeed, provider: string, isDry: boolean) {
  const id = randomUUID();
  const audit = [operatorEntry(deed, 'provider_trace_opened', { provider, trace_id: id, dry: isDry })];
  const expiresAt = await openProviderTrace(app.db, {
    id,
    provider,
    isDry,
    operatorName: deed.operator.name,
    validSeconds: VALID_SECONDS,
    audit: storedAudit(app, audit),
  });
  logAudit(app, deed.requestId, audit);
  const query = new URLSearchParams({
    provider,
    [TRACE_PARAMETER]: makeTicket('trace link', id, app.keys.flow.current),
  });
  return { id, url: `${app.config.apiExternalUrl}/authorize?${query}`, expires_at: expiresAt };
}

/** @returns the newest traces of a provider, without their steps. @throws ApiError providerUnknown */
export async function listTraces(app: App, name: string) {
  return listTracesOf(app, (await readProvider(app, name)).name);
}

/** @param provider as traces name it. @returns the newest ones, without their steps */
export const listTracesOf = ({ db }: Pick<App, 'db'>, provider: string) =>
  listProviderTraces(db, provider, RETURN_SECONDS, MOST_LISTED);

/** @param known number of steps that the page has already. @throws ApiError traceNotFound */
export async function readTrace({ db }: Pick<App, 'db'>, id: string, known: number) {
  const trace = isUuid(id) ? await readProviderTrace(db, id, RETURN_SECONDS, known) : undefined;
  if (trace === undefined) throw apiError('traceNotFound');
  return { ...trace, steps: trace.steps.map(explainStep) };
}

/** With what to do about a fault, and what a rule says: of this release, not of the one that wrote it. */
const explainStep = (step: TraceStep) => ({ ...step, advice: adviceFor(step), says: ruleOf(step.detail) });

const rules: Readonly<Record<string, string>> = { ...linkingRules, ...companyRules };
const cures: Readonly<Record<string, string>> = samlCures;

function adviceFor({ is_ok: isOk, detail: { check, error } }: TraceStep): string | null {
  if (!isOk && typeof check === 'string' && Object.hasOwn(cures, check)) return cures[check]!;
  const isKnown = typeof error === 'string' && Object.hasOwn(explanations, error);
  return isKnown ? explanations[error as ErrorName][1] : null;
}

const ruleOf = ({ rule }: TraceStep['detail']): string | null =>
  typeof rule === 'string' && Object.hasOwn(rules, rule) ? rules[rule]! : null;
