/** The return of a sign-in that an operator tests: it is examined, step by step, and signs no one in. */
import { keepSaid, type TraceStep } from '../../../db/provider-traces.js';
import { type RelayState, readSsoRefusal } from '../../../db/sso.js';
import type { SsoProviderRow } from '../../../db/sso-providers.js';
import type { SamlAssertion } from '../../../workers/saml-wire.js';
import { ApiError, apiError, asApiError } from '../../errors.js';
import { type AttemptTrace, readTraceSecret, resumeTrace } from '../../external/tracing/attempt-trace.js';
import { describeFailure, describeReturn } from '../../external/tracing/describe-step.js';
import type { App } from '../../runtime/app.js';
import { findSsoOwner } from '../account.js';
import { isCompanyProvider } from '../company-name.js';
import { assertResponseGiven, findProviderOfState, type ReturnedState } from '../consume.js';
import { errorOfRefusal, hashOfUsed, responseJob } from '../received-message.js';
import { refreshAfterUnknownKey } from '../refresh-metadata.js';
import { type DescribedCheck, describeCheck } from './describe-steps.js';
import { describePerson, examinePerson, type PersonExamined } from './examine-person.js';

/** What a test keeps of an assertion, to try a mapping on. */
export interface SaidOfPerson extends Pick<SamlAssertion, 'nameId' | 'attributes'> {
  readonly checks: readonly DescribedCheck[];
}

/**
 * @param browserSecret from the cookie, if there is one: it leads to the test where the RelayState does not
 * @returns null: what came back is no test
 * @throws ApiError traceNotUsable: it is gone. No sign-in follows then
 */
export async function findTest(
  app: App,
  { row }: ReturnedState,
  browserSecret: string | null,
): Promise<AttemptTrace | null> {
  if (row) return row.trace_id === null ? null : resumeTrace(app, row.trace_id);
  const id = readTraceSecret(app, browserSecret);
  const trace = id === null ? null : await resumeTrace(app, id).catch(() => null);
  return trace?.isEnded === false && isCompanyProvider(trace.provider) ? trace : null;
}

/**
 * Follows a test to its end.
 * @param form SAMLResponse and RelayState
 * @returns with what a sign-in would have been refused; null: with nothing
 */
export async function finishTest(
  app: App,
  requestId: string,
  trace: AttemptTrace,
  form: ReadonlyMap<string, string>,
  { row }: ReturnedState,
): Promise<ApiError | null> {
  trace.hide(form.get('RelayState'));
  let failed: Pick<DescribedCheck, 'check' | 'fault'> | undefined;
  try {
    const provider = await noteReturn(app, trace, form, row);
    const job = responseJob(app, provider, form.get('SAMLResponse')!, row!.request_id);
    const { assertion, checks, refusal } = await app.crypto.examineSamlResponse({ ...job, passedOver: [] });
    if (refusal?.refusal === 'signature') refreshAfterUnknownKey(app, provider);
    const described = checks.map((check) => describeCheck(check, job.expected));
    for (const check of described) trace.noteStep('saml_check', check.fault === null, { ...check });
    failed = described.find(({ fault }) => fault !== null);
    const error = assertion === null ? null : await examineAccount(app, trace, provider, assertion, described);
    if (refusal !== null) throw errorOfRefusal(refusal);
    if (error !== null) throw error;
    await trace.end('dry_run', {}, requestId);
    return null;
  } catch (cause) {
    const error = asApiError(cause);
    await trace.end(
      'failed',
      { ...describeFailure(error), ...(failed && { check: failed.check, fault: failed.fault }) },
      requestId,
    );
    return error;
  }
}

/** @throws ApiError of an answer that comes to no test, or is none */
async function noteReturn(
  app: App,
  trace: AttemptTrace,
  form: ReadonlyMap<string, string>,
  row: RelayState | null | undefined,
): Promise<SsoProviderRow> {
  const detail = {
    ...describeReturn(form, Boolean(row)),
    ...(!row && { state: form.get('RelayState') ? 'refused' : 'missing' }),
  };
  try {
    if (!row) throw apiError('samlRelayStateNotFound');
    const provider = await findProviderOfState(app, row);
    assertResponseGiven(form);
    trace.noteStep('saml_response', true, detail);
    return provider;
  } catch (cause) {
    const error = asApiError(cause);
    trace.noteStep('saml_response', false, { ...detail, ...describeFailure(error) });
    throw error;
  }
}

/** Whose account it would be. @returns with what a sign-in would be refused; null: with nothing */
async function examineAccount(
  app: App,
  trace: AttemptTrace,
  provider: SsoProviderRow,
  assertion: SamlAssertion,
  checks: readonly DescribedCheck[],
): Promise<ApiError | null> {
  const { id, nameId, attributes } = assertion;
  const said: SaidOfPerson = { nameId, attributes, checks };
  await keepSaid(app.db, trace.id, said);
  const { is_used: isUsed } = await readSsoRefusal(app.db, hashOfUsed(provider, id), provider.id);
  const replay = { check: 'replayed', fault: isUsed ? 'the assertion was used before' : null };
  trace.noteStep('saml_check', !isUsed, replay);
  const person = examinePerson(app, provider, assertion, provider.attribute_mapping);
  const failure = person.error && describeFailure(person.error);
  trace.noteStep('saml_person', person.error === null, { ...describePerson(person), ...failure });
  const decision = await decide(app, provider, person);
  if (decision !== null) trace.noteStep('decision', decision.error === null, decision.detail);
  return (isUsed ? apiError('samlAssertionInvalid') : null) ?? person.error ?? decision?.error ?? null;
}

interface Decision {
  readonly detail: TraceStep['detail'];
  readonly error: ApiError | null;
}

/** @returns null: there is no one to decide about */
async function decide(app: App, provider: SsoProviderRow, person: PersonExamined): Promise<Decision | null> {
  if (person.subject.value === '') return null;
  const shared = { is_disabled: provider.disabled === true ? true : null };
  try {
    const named = { ...person, subject: person.subject.value };
    const { owner, joined } = await findSsoOwner(app, provider, named, person.email.value);
    if (owner === undefined) return { detail: { ...shared, rule: 'company_new', kind: 'create' }, error: null };
    const rule = joined === undefined ? 'company_known' : 'company_joined';
    const found = { rule, kind: 'sign_in', user_id: owner.id, is_identity_new: joined !== undefined };
    return { detail: { ...shared, ...found }, error: null };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { detail: { ...shared, kind: 'reject', ...describeFailure(error) }, error };
  }
}
