/** Recovery codes on /ui/account/factors. */
import { html, type Markup } from '../../../html.js';
import { type GeneratedCodes, readRecoveryCodes } from '../../factors/recovery-codes.js';
import { hasVerifiedFactor } from '../../sessions/verified-factor.js';
import { button, form, hidden, PLAIN } from '../form.js';
import type { View } from '../layout.js';
import { DANGER, frameSection } from './account-frame.js';
import { type AccountVisit, sectionLink } from './account-visit.js';
import { FACTORS_PATH } from './factors-path.js';

export async function showRecoveryPart(visit: AccountVisit): Promise<Markup | null> {
  const { app, words, caller } = visit;
  const has = (caller.user.factors ?? []).some(({ kind }) => kind === 'recovery_code');
  const mayMake = app.config.mfaRecoveryCodesEnrollEnabled && hasVerifiedFactor(caller.user);
  if (!has && !mayMake) return null;
  const counts = has ? await readRecoveryCodes(app, caller) : null;
  const one = (action: string, label: Markup) => form(visit, FACTORS_PATH, html`${hidden('action', action)}${label}`);
  return html`<h2 class="part">${words('factors.recovery')}</h2>
<p>${words('factors.recovery_text')}</p>
${counts !== null && html`<p>${words('factors.recovery_left', { remaining: counts.remaining, total: counts.total })}</p>`}
${counts === null ? one('recovery', button(words('factors.recovery_make'), '', PLAIN)) : null}
${counts !== null && mayMake ? one('recovery_renew', button(words('factors.recovery_renew'), '', PLAIN)) : null}
${counts !== null && one('recovery_remove', button(words('factors.recovery_remove'), '', DANGER))}`;
}

/** The codes leave the server on this page, and never again. */
export function showNewCodes(visit: AccountVisit, { codes }: Pick<GeneratedCodes, 'codes'>): View {
  const { words, pages } = visit;
  const file = Buffer.from(`${pages.name}\n\n${codes.join('\n')}\n`).toString('base64');
  return frameSection(
    visit,
    html`<p>${words('factors.recovery_shown')}</p>
<ul class="codes" dir="ltr">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<div class="stack">
<a class="button plain" download="recovery-codes.txt" href="data:text/plain;charset=utf-8;base64,${file}">${words('factors.recovery_download')}</a>
<button type="button" class="plain" data-print hidden>${words('factors.recovery_print')}</button>
<a class="button" href="${sectionLink(visit, 'factors')}">${words('factors.recovery_done')}</a>
</div>`,
  );
}
