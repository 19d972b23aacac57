/** A mail to the operator by the settings of the draft, with each stage of the mail server and the one that failed. */
import { useState } from 'preact/hooks';
import { type ApiFault, asFault, send } from '../core/api.js';
import { type ChangeFault, changes, textsOf } from '../core/draft.js';
import { may, operator } from '../core/state.js';
import { Alert, Note } from './alert.js';
import { Badge, Details } from './details.js';
import { sayStage } from './mail-stages.js';

interface Tried {
  readonly to: string;
  readonly is_good: boolean;
  readonly is_encrypted: boolean;
  readonly stage: string | null;
  readonly problem: string | null;
  readonly cure: string | null;
  readonly steps: readonly { readonly stage: string; readonly replies: readonly string[] }[];
  readonly faults: readonly ChangeFault[];
}

interface TestMailProps {
  /** Null: a sentence that says where it comes from. */
  readonly kind: string | null;
  readonly language?: string;
}

export function TestMail({ kind, language = '' }: TestMailProps) {
  const [tried, setTried] = useState<Tried | null>(null);
  const [fault, setFault] = useState<ApiFault | null>(null);
  const [isBusy, setBusy] = useState(false);
  const name = operator.value?.name ?? '';
  if (!may('admin')) return null;
  if (!name.includes('@')) {
    return (
      <p class="small muted">
        Test mails go to the operator alone, and your name is no email address: an owner creates an operator whose name
        is one.
      </p>
    );
  }
  const attempt = async () => {
    setBusy(true);
    setFault(null);
    try {
      const body = {
        changes: textsOf(changes.value),
        ...(kind !== null && { kind }),
        ...(language !== '' && { language }),
      };
      setTried((await send<Tried>('POST', '/api/mail/test', { body })).data);
    } catch (error) {
      setFault(asFault(error));
    }
    setBusy(false);
  };
  return (
    <div class="test-mail">
      <p class="deeds">
        <button type="button" class="plain" aria-busy={isBusy} disabled={isBusy} onClick={() => void attempt()}>
          {kind === null ? 'Send me a test mail' : 'Send me this mail'}
        </button>
        <span class="small muted">To {name} alone, by the settings shown here, whether applied or not.</span>
      </p>
      {fault !== null && <Alert fault={fault} />}
      <div role="status">{tried !== null && !isBusy && <Result tried={tried} />}</div>
    </div>
  );
}

function Result({
  tried: { to, is_good, is_encrypted, stage, problem, cure, steps, faults },
}: {
  readonly tried: Tried;
}) {
  if (faults.length > 0) {
    return (
      <Note tone="warn">
        <p>It was not tried.</p>
        {faults.map(({ name, problem: why }) => (
          <p key={name + why} class="break">
            <code>{name}</code> {why}
          </p>
        ))}
      </Note>
    );
  }
  return (
    <>
      {is_good ? (
        <p>
          <Badge tone="ok">sent</Badge> The mail server accepted the mail to {to}; the connection was{' '}
          {is_encrypted ? 'encrypted' : 'not encrypted'}.
        </p>
      ) : (
        <Note tone="warn">
          <p>
            <strong>It failed at: {sayStage(stage ?? '')}.</strong> {problem}.
          </p>
          <p>{cure}</p>
        </Note>
      )}
      <details class="small">
        <summary>What was said</summary>
        <Details rows={steps.map(({ stage: at, replies }) => [sayStage(at), sayReplies(replies)])} />
      </details>
    </>
  );
}

const sayReplies = (replies: readonly string[]) =>
  replies.length === 0
    ? '–'
    : replies.map((reply) => (
        <p key={reply} class="break">
          {reply}
        </p>
      ));
