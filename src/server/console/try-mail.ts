/** A mail to the operator through the mail server of a draft, with the stage that failed. */

import { hideCredentials } from '../config/hide-credentials.js';
import type { Config } from '../config/settings.js';
import { apiError } from '../errors.js';
import { cureFor } from '../mail/stage-cures.js';
import { sendTestMail } from '../mail/test-mail.js';
import type { App } from '../runtime/app.js';
import { applyToConfig, type DraftChanges, type DraftFault } from './draft-config.js';
import { addressOf } from './operator-address.js';
import { type OperatorDeed, recordDeed } from './operator-audit.js';
import { previewOf, readExample, readKind } from './templates.js';

/** Less than a request may take. */
const ATTEMPT_SECONDS = 8;

interface TriedMail {
  readonly kind?: string;
  readonly language?: string;
  readonly changes: DraftChanges;
}

/** @throws ApiError operatorHasNoAddress, messageKindUnknown */
export async function tryMail(app: App, deed: OperatorDeed, { kind = '', language, changes }: TriedMail) {
  // No one else gets a mail from here.
  const to = addressOf(deed.operator);
  if (to === null) throw apiError('operatorHasNoAddress');
  const mailKind = kind === '' ? undefined : readKind(kind);
  const { config, faults } = applyToConfig(app.config, changes, deed.operator.role);
  const found = [...faults, ...findMissing(config)];
  const nothing = { is_good: false, is_encrypted: false, stage: null, problem: null, cure: null, steps: [] };
  if (found.length > 0) return { to, ...nothing, faults: found };
  const names = Object.keys(changes);
  await recordDeed(app, deed, 'check_started', { check: 'smtp', argument: kind, draft: names });
  const content = mailKind && (await previewOf(app, mailKind, readExample(language, undefined), config));
  const steps: { stage: string; replies: string[] }[] = [];
  const { failure, isEncrypted } = await sendTestMail(
    config,
    to,
    ({ stage, reply }) => {
      if (steps.at(-1)?.stage !== stage) steps.push({ stage, replies: [] });
      if (reply !== undefined) steps.at(-1)!.replies.push(hideCredentials(reply));
    },
    content,
    ATTEMPT_SECONDS,
  );
  return {
    ...{ to, is_good: failure === null, is_encrypted: isEncrypted, stage: failure?.stage ?? null },
    problem: failure === null ? null : hideCredentials(failure.message),
    cure: failure === null ? null : cureFor(failure.stage),
    ...{ steps, faults: [] },
  };
}

function findMissing(config: Config): DraftFault[] {
  const missing: DraftFault[] = [];
  if (config.smtpHost === '') missing.push({ name: 'AUTH_SMTP_HOST', problem: 'is not set, so no mail leaves' });
  if (config.smtpAdminEmail === '') missing.push({ name: 'AUTH_SMTP_ADMIN_EMAIL', problem: 'is not set' });
  return missing;
}
