import { changeCount } from '../../core/draft.js';
import { Note } from '../../parts/alert.js';
import { DeedDialog } from '../../parts/dialog.js';
import { showNewTrace, TraceAddress } from './new-trace.js';

interface TraceDialogProps {
  readonly provider: string;
  readonly onClose: () => void;
}

/** Opens a trace, and shows it. */
export function TraceDialog({ provider, onClose }: TraceDialogProps) {
  return (
    <DeedDialog
      title={`Trace a sign-in at ${provider}`}
      verb="Open a trace"
      onClose={onClose}
      run={async ({ reason, form }) => {
        const body = { dry: form.get('kind') !== 'real', reason };
        const path = `/api/providers/${encodeURIComponent(provider)}/traces`;
        await showNewTrace(path, body);
      }}
    >
      <TraceAddress how="step by step" />
      {changeCount.value > 0 && (
        <Note tone="warn">
          <p>There are changes that are not applied: the sign-in takes the settings as they are in use.</p>
        </Note>
      )}
      <fieldset class="choices">
        <legend>What it does</legend>
        <label class="check">
          <input type="radio" name="kind" value="dry" checked />
          <span>
            <strong>Dry run.</strong> It ends before anything about an account is written: no account, no session, no
            mail. Hooks are not asked.
          </span>
        </label>
        <label class="check">
          <input type="radio" name="kind" value="real" />
          <span>
            <strong>Real sign-in.</strong> The browser is signed in to the application. An account may be made or
            linked, and a mail may be sent.
          </span>
        </label>
      </fieldset>
    </DeedDialog>
  );
}
