/** The steps of a trace: what happened, how long it took, and what was said. */
import { Icon } from '../../parts/icon.js';
import type { TracedStep } from '../provider/shown-provider.js';
import { Facts, hasFacts } from './facts.js';
import { sayStep } from './words.js';

export function Steps({ steps }: { readonly steps: readonly TracedStep[] }) {
  const began = Date.parse(steps[0]!.at);
  return (
    <section>
      <h2>Steps</h2>
      <ol class="checks trace">
        {steps.map((step, i) => (
          <Step key={i} step={step} afterMs={Date.parse(step.at) - began} />
        ))}
      </ol>
    </section>
  );
}

function Step({ step, afterMs }: { readonly step: TracedStep; readonly afterMs: number }) {
  const { kind, ms, is_ok, detail, advice, says } = step;
  const { title, summary } = sayStep(kind, detail);
  return (
    <li class={is_ok ? 'passed' : 'failed'}>
      <Icon name={is_ok ? 'check' : 'close'} />
      <div>
        <p>
          <strong>{title}</strong> {summary}{' '}
          {kind !== 'saml_check' && (
            <span class="muted small">
              {sayMs(ms)}, after {sayMs(afterMs)}
            </span>
          )}
        </p>
        {says !== null && <p>{says}</p>}
        {typeof detail['message'] === 'string' && <p class="verdict">{detail['message']}</p>}
        {typeof detail['cause'] === 'string' && <p class="verdict">{detail['cause']}</p>}
        {typeof detail['fault'] === 'string' && <p class="verdict">{detail['fault']}</p>}
        {advice !== null && (
          <p class="advice">
            <strong>What to do:</strong> {advice}
          </p>
        )}
        {hasFacts(detail) && (
          <details open={!is_ok}>
            <summary>
              Details<span class="hidden"> of: {title}</span>
            </summary>
            <Facts detail={detail} />
          </details>
        )}
      </div>
    </li>
  );
}

const sayMs = (ms: number): string => (ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms)} ms`);
