/** Explains a refused request: each check in its order, the settings behind it, and what to do. */
import type { PageProps } from '../core/page.js';
import {
  type Check,
  type CheckOutcome,
  type ExplainedRefusal,
  nameOfRequest,
  type ShownSetting,
} from '../core/refusal.js';
import { useResource } from '../core/resource.js';
import { Badge, Copy, Details } from '../parts/details.js';
import { Heading } from '../parts/heading.js';
import { Icon } from '../parts/icon.js';
import { Time } from '../parts/time.js';
import { View } from '../parts/view.js';

export function Page({ params }: PageProps) {
  const id = params['request_id']!;
  const request = useResource<{ refusals: readonly ExplainedRefusal[] }>(`/api/requests/${encodeURIComponent(id)}`);
  return (
    <>
      <Heading title="Why it was refused" about={<a href="/requests">All refused requests</a>} />
      <View of={request} rows={10}>
        {({ refusals }) => refusals.map((refusal) => <Explained key={refusal.id} refusal={refusal} />)}
      </View>
    </>
  );
}

function Explained({ refusal }: { readonly refusal: ExplainedRefusal }) {
  const { error_code, message, status, advice, reason, limit, left_out } = refusal;
  return (
    <article class="explained">
      <section class="card">
        <h2>
          <Badge tone={status >= 500 ? 'danger' : 'warn'}>{status}</Badge> {message || error_code}
        </h2>
        {reason !== null && (
          <p>
            {reason} <span class="muted small">Whoever asked was not told this.</span>
          </p>
        )}
        <p class="advice">
          <strong>What to do:</strong> {advice}
        </p>
      </section>
      <section>
        <h2>Checks, in their order</h2>
        <ol class="checks">
          {refusal.checks.map((check) => (
            <CheckRow key={check.name} check={check} />
          ))}
        </ol>
      </section>
      <section>
        <h2>The request</h2>
        <Details
          rows={[
            ['Request', <span class="mono">{nameOfRequest(refusal)}</span>],
            ['error_code', <a href={`/requests?code=${encodeURIComponent(error_code)}`}>{error_code}</a>],
            ['When', <Time at={refusal.created_at} isExact />],
            ['User', refusal.user_id && <a href={`/users/${refusal.user_id}`}>{refusal.user_id}</a>],
            ['Address', refusal.ip && <span class="mono">{refusal.ip}</span>],
            ['Limit', limit],
            ['Request id', <Copy text={refusal.request_id} what="the request id" />],
            ['Left out', left_out > 0 ? `${left_out.toLocaleString('en')} more with this error before it` : null],
          ]}
        />
      </section>
    </article>
  );
}

const outcomeWords: Readonly<Record<CheckOutcome, string>> = {
  passed: 'passed',
  failed: 'failed',
  does_not_apply: 'does not apply',
  maybe: 'passed, or not asked for',
  unknown: 'not known: the fault may have come before it',
  not_reached: 'not reached',
};

function CheckRow({ check }: { readonly check: Check }) {
  const { holds, outcome, settings } = check;
  return (
    <li class={outcome}>
      <Icon name={outcome === 'failed' ? 'close' : outcome === 'passed' || outcome === 'maybe' ? 'check' : 'next'} />
      <div>
        <p>
          {outcome === 'failed' ? <strong>{holds}</strong> : holds}{' '}
          <span class={outcome === 'failed' ? 'verdict' : 'muted small'}>{outcomeWords[outcome]}</span>
        </p>
        {settings.length > 0 &&
          (outcome === 'failed' ? (
            <Settings settings={settings} />
          ) : (
            <details>
              <summary>
                {settings.length} {settings.length === 1 ? 'setting' : 'settings'}
              </summary>
              <Settings settings={settings} />
            </details>
          ))}
      </div>
    </li>
  );
}

const Settings = ({ settings }: { readonly settings: readonly ShownSetting[] }) => (
  <dl class="settings-behind">
    {settings.map((setting) => (
      <div key={setting.name}>
        <dt>
          <code>{setting.name}</code>
        </dt>
        <dd>
          <code>{sayValue(setting)}</code> {!setting.is_set && <span class="muted small">default</span>}
          <p class="muted small">{setting.doc}</p>
        </dd>
      </div>
    ))}
  </dl>
);

function sayValue({ value, fingerprint, is_set }: ShownSetting): string {
  if (fingerprint !== undefined) return `secret, fingerprint ${fingerprint}`;
  if (value === undefined) return is_set ? 'secret' : 'not set';
  if (value === null || value === '') return 'not set';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
