import type { App } from '../runtime/app.js';
import { startDomainChecks } from './domain-job.js';
import { startMetadataRefresh } from './refresh-job.js';

/** Starts what sign-in at companies does by itself, in one thread of a process; nothing where it is off. @returns what ends each */
export function startSamlJobs(app: App): readonly (() => void)[] {
  const { samlEnabled, samlRequireDomainProof } = app.config;
  if (!samlEnabled) return [];
  app.log.debug({ component: 'sso' }, 'This thread looks after the identity providers of companies');
  return [startMetadataRefresh(app), ...(samlRequireDomainProof ? [startDomainChecks(app)] : [])];
}
