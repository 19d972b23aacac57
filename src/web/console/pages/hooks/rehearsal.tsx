import { Badge } from '../../parts/details.js';
import type { ShownRehearsal, ShownStep } from './shown-hook.js';

/** What was sent, what came back, and what follows from it. */
export function RehearsalShown({ name, rehearsal }: { readonly name: string; readonly rehearsal: ShownRehearsal }) {
  const { steps, verdict, is_refused, duration_ms } = rehearsal;
  return (
    <section class="card" aria-live="polite" aria-label={`Rehearsal of ${name}`}>
      <h2>
        {name}{' '}
        {verdict === null ? <Badge>not sent</Badge> : <Badge tone={is_refused ? 'danger' : 'ok'}>{verdict}</Badge>}{' '}
        {verdict !== null && <span class="muted small">{duration_ms} ms</span>}
      </h2>
      {steps.map((step, i) => (
        <div key={i}>
          <h3>{titles[step.what]}</h3>
          <pre>{textOf(step)}</pre>
        </div>
      ))}
    </section>
  );
}

const titles = { request: 'Request', signature: 'Signature', problem: 'Problem', answer: 'Answer' } as const;

function textOf(step: ShownStep): string {
  if (step.what === 'answer') return `${step.status}\n${step.text}`;
  if (step.what !== 'request') return step.text;
  const headers = Object.entries(step.headers).map(([name, value]) => `${name}: ${value}`);
  return [step.line, ...headers, '', JSON.stringify(step.body, null, 2)].join('\n');
}
