/** The parts of one configuration. A reload makes them anew; the parts of the thread (boot.ts) go on. */

import { openCompanyDomains } from '../accounts/company-domains.js';
import { viewUser } from '../accounts/user-view.js';
import { openClientDocuments } from '../client-documents/index.js';
import { startLogoutSender } from '../client-logout/sender.js';
import { refundFailedMail } from '../codes/send-rules.js';
import type { Config } from '../config/settings.js';
import { openTxtLookup } from '../domains/txt-lookup.js';
import type { Events } from '../events/index.js';
import type { UserCreatedSubscriber } from '../events/user-created.js';
import { renewFactorSecrets } from '../factors/renew-factor-secrets.js';
import { createSecretBox } from '../factors/secret-box.js';
import { openLimits } from '../guards/limits.js';
import { hookFunctions, openHooks } from '../hooks/index.js';
import type { EdgeRules } from '../http/options.js';
import { openConfiguredKeys, signWhenReady } from '../keys/stored-token-keys.js';
import type { Mailer } from '../mail/contract.js';
import { mailHookOf } from '../mail/hook-delivery.js';
import { startMailer } from '../mail/mailer.js';
import { followJoinDomains } from '../organizations/follow-join-domains.js';
import { followRoles } from '../organizations/follow-roles.js';
import { startOrganizationJobs } from '../organizations/organization-domain-job.js';
import { watchOrganizations } from '../organizations/organization-figures.js';
import { openPages } from '../pages/assets.js';
import { openPasswordChecks } from '../passwords/index.js';
import { openProviders } from '../providers/index.js';
import { compileRedirects } from '../redirects/policy.js';
import { openSamlMetadata } from '../saml/fetch-metadata.js';
import { startSamlJobs } from '../saml/jobs.js';
import { hasOpenidOfOrganizations } from '../saml/saml-on.js';
import { deriveKeys } from '../sessions/keys.js';
import type { Texts } from '../sms/contract.js';
import { withDeferredTexts } from '../sms/deferred.js';
import { createSmsClient } from '../sms/index.js';
import { startTextOutbox } from '../sms/text-outbox.js';
import { renewSettingSecrets } from '../stored-settings/renew-setting-secrets.js';
import type { App } from './app.js';
import type { Development } from './development.js';
import { edgeRules } from './edge-rules.js';
import type { Housekeeping } from './housekeeping.js';
import type { KeptState } from './kept-state.js';
import { noteOutbox, noteTexts } from './note-deliveries.js';
import type { Observation } from './observe.js';

/**
 * The parts that live as long as their thread. They are made of LastingConfig, so they cannot depend on a setting that
 * a reload changes. One that needs such a setting has a method `use(config)`, which finish() calls.
 */
export interface LastingParts
  extends Pick<
    App,
    | 'settingSources'
    | 'db'
    | 'allowFunctions'
    | 'replica'
    | 'lookForSettings'
    | 'crypto'
    | 'decoyKinds'
    | 'log'
    | 'readiness'
    | 'version'
    | 'describeApi'
    | 'countAuditEvent'
    | 'countSignIn'
  > {
  readonly housekeeping: Housekeeping;
  readonly events: Events;
  readonly userCreated: UserCreatedSubscriber;
  readonly observation: Observation;
  readonly state: KeptState;
  readonly development: Development | undefined;
  /** Whether this thread does what one of the process does for all. */
  readonly runsJobs: boolean;
}

export interface Generation {
  readonly app: App;
  readonly rules: EdgeRules<App>;
  /** Called when the requests of every thread get these parts: what one thread signs with a new key, the others know. */
  finish(): Promise<void>;
  /** Called when requests get those of the next one: ends background work that the next one does, too. */
  retire(): Promise<void>;
  /** Called when no request uses these parts any more. */
  close(timeoutSeconds: number): Promise<void>;
}

/** @param generation counts the configurations of the process, from 1 */
export async function openGeneration(parts: LastingParts, config: Config, generation: number): Promise<Generation> {
  const { observation, state, development, housekeeping, events, userCreated, runsJobs, ...lasting } = parts;
  const { db, log } = lasting;
  const providers = await openProviders({ config, log, db, internet: development?.internet });
  const limits = openLimits({ config, db, log, rejections: state.rejections });
  const passwords = await openPasswordChecks({ config, log, counts: state.leakChecks });
  lasting.allowFunctions(hookFunctions(config));
  const hooks = openHooks({ config, db, log, observe: observation.observeHook });
  const mailer = startMailer({
    hook: mailHookOf(config, hooks.sendEmail, viewUser),
    config,
    db,
    log,
    onFailed: (failed) => refundFailedMail(limits, failed),
    capture: development?.captureMail,
    around: noteOutbox(limits, 'email', observation.aroundMail),
    kept: state.mail,
  });
  const client = createSmsClient({
    config,
    log,
    hook: hooks.sendSms,
    ...(development && { sink: development.captureSms }),
  });
  const watched = noteTexts(observation.wrapSms(client), limits);
  const texts = startTextOutbox({
    config,
    db,
    log,
    client: watched,
    hook: hooks.sendSms,
    viewUser,
    onFailed: (phone) => limits.refundRecipient('sms', phone),
    around: noteOutbox(limits, 'phone', observation.aroundText),
    counts: state.texts,
  });
  const mail: Mailer = {
    ...mailer,
    nudge() {
      mailer.nudge();
      texts.nudge();
    },
  };
  const { seal, recipientOf, stats } = texts;
  const sms: Texts = { ...withDeferredTexts(watched, log), seal, recipientOf, stats };
  const tokenKeys = openConfiguredKeys({ config, db, crypto: parts.crypto, log, counts: state.verifications });
  const factorSecrets = createSecretBox(config);
  const renewals = [renewFactorSecrets(db, factorSecrets, config, log), renewSettingSecrets(db, config, log)];
  const organizationRoles = config.organizationsEnabled ? await followRoles(db, log) : null;
  const joinDomains = config.organizationsEnabled ? followJoinDomains(db) : null;
  const app: App = {
    ...lasting,
    crypto: signWhenReady(parts.crypto, tokenKeys),
    config,
    generation,
    keys: deriveKeys(config),
    factorSecrets,
    factorCounts: state.factors,
    ssoEnds: state.ssoEnds,
    oauthCounts: state.oauth,
    tokenKeys,
    limits,
    housekeeping,
    events,
    mail,
    sms,
    passwords,
    hooks,
    pages: openPages(config),
    organizationRoles,
    joinDomains,
    providers,
    clientDocuments: openClientDocuments({ log, internet: development?.internet }),
    companyDomains: openCompanyDomains(db, {
      hasSaml: config.samlEnabled,
      hasOpenid: hasOpenidOfOrganizations({ config }),
      isProofNeeded: config.samlRequireDomainProof,
    }),
    txtRecords: openTxtLookup(config),
    samlMetadata: openSamlMetadata(config, development?.internet),
    redirects: compileRedirects(config),
  };
  const logouts = config.oauthServerEnabled ? startLogoutSender(app) : null;
  const jobs = runsJobs ? [...startSamlJobs(app), ...startOrganizationJobs(app)] : [];
  const counts = runsJobs && config.organizationsEnabled && config.metricsEnabled;
  if (counts) jobs.push(watchOrganizations(db, log, state.organizations));
  return {
    app,
    rules: edgeRules(app),
    async finish() {
      housekeeping.use(config);
      userCreated.use(hooks.afterUserCreated, config.hookAfterUserCreatedAdmin);
      events.use(config);
      // Keys in the database name the one that signs themselves.
      if (tokenKeys.ready === undefined) await parts.crypto.useSigningKey(tokenKeys.accepted(Date.now()).signing);
      // Loading the library takes half a second, for which the first user would wait. A failure returns with the first job.
      if (usesWebAuthn(config)) void parts.crypto.warmWebAuthn().catch(() => undefined);
    },
    async retire() {
      for (const end of jobs) end();
      await Promise.all([mailer.retire(), texts.retire(), logouts?.retire()]);
    },
    async close(timeoutSeconds) {
      for (const end of jobs) end();
      organizationRoles?.close();
      joinDomains?.close();
      providers.close();
      for (const stop of renewals) stop();
      await Promise.all([
        mailer.close(timeoutSeconds),
        texts.close(timeoutSeconds),
        sms.close(timeoutSeconds),
        logouts?.retire(),
      ]);
      hooks.close();
      await tokenKeys.close();
      await passwords.close();
    },
  };
}

const usesWebAuthn = (config: Config): boolean =>
  config.passkeyEnabled || config.mfaWebAuthnEnrollEnabled || config.mfaWebAuthnVerifyEnabled;
