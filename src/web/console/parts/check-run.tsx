/** A check of `latchkey check`: its button, its progress, and what it printed. */
import { useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { type ApiFault, asFault, pathWith, send } from '../core/api.js';
import { usePolling } from '../core/polling.js';
import { useResource } from '../core/resource.js';
import { may } from '../core/state.js';
import { Alert } from './alert.js';
import { Badge } from './details.js';
import { Findings } from './findings.js';
import { Output } from './output.js';
import { Time } from './time.js';

export interface ShownCheck {
  readonly name: string;
  readonly argument: string;
  readonly operator_name: string;
  readonly host: string;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly state: 'running' | 'passed' | 'failed' | 'impossible' | 'late' | 'lost';
}

interface PrintedRun extends ShownCheck {
  readonly output: string;
}

const words = {
  running: ['runs', 'plain'],
  passed: ['passed', 'ok'],
  failed: ['found a problem', 'danger'],
  impossible: ['could not be tried', 'warn'],
  late: ['took too long', 'warn'],
  lost: ['was lost with its process', 'warn'],
} as const;

export const CheckBadge = ({ state }: Pick<ShownCheck, 'state'>) => (
  <Badge tone={words[state][1]}>{words[state][0]}</Badge>
);

interface RunnerProps {
  readonly name: string;
  readonly argument: string;
  /** On the button. */
  readonly verb: string;
  /** What is known of the last run. */
  readonly last?: ShownCheck | undefined;
}

const POLL_MS = 1000;

/** What a check prints is for administrators. */
export function CheckRunner({ name, argument, verb, last }: RunnerProps) {
  const isShown = useSignal(false);
  const path = pathWith(`/api/checks/${name}`, { argument });
  const run = useResource<{ run: PrintedRun | null }>(may('admin') && isShown.value ? path : null);
  const shown = run.data?.run ?? null;
  const [fault, setFault] = useState<ApiFault | null>(null);
  const [isBusy, setBusy] = useState(false);
  const isRunning = shown?.state === 'running';
  usePolling<{ run: PrintedRun | null }>(isRunning ? path : null, POLL_MS, run.put);
  const start = async () => {
    setBusy(true);
    setFault(null);
    try {
      await send('POST', `/api/checks/${name}`, { body: { argument } });
      if (isShown.value) await run.reload();
      isShown.value = true;
    } catch (error) {
      setFault(asFault(error));
    }
    setBusy(false);
  };
  const known = shown ?? last;
  const Printed = name === 'provider' || name === 'sso' ? Findings : Output;
  return (
    <div class="check-run">
      <div class="deeds">
        <button
          type="button"
          class="plain small"
          disabled={!may('admin')}
          aria-busy={isBusy || isRunning}
          onClick={() => void start()}
        >
          {verb}
        </button>
        <span role="status">
          {known !== undefined && known !== null && (
            <>
              <CheckBadge state={known.state} />{' '}
              <span class="small muted">
                <Time at={known.started_at} /> by {known.operator_name} on {known.host}
              </span>
            </>
          )}
        </span>
        {known && !isShown.value && may('admin') && (
          <button type="button" class="link small" onClick={() => (isShown.value = true)}>
            Show what it said
          </button>
        )}
      </div>
      {!may('admin') && <p class="small muted">Running it needs the role admin.</p>}
      {fault !== null && <Alert fault={fault} />}
      {run.fault !== null && <Alert fault={run.fault} />}
      {shown !== null && <Printed label={`What the check ${name} printed`} text={shown.output || 'Nothing yet.'} />}
    </div>
  );
}
