/** A passkey, or a password with a code: how an operator signs in, and confirms later. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type ApiFault, asFault, send } from '../core/api.js';
import { usePasskey } from '../core/session.js';
import { Alert } from '../parts/alert.js';
import { Field } from '../parts/field.js';

export interface PasswordProof {
  readonly name: string;
  readonly password: string;
  readonly code: string;
}

interface ProofFormProps {
  readonly verb: string;
  /** Known already, when somebody confirms. */
  readonly name?: string;
  readonly hasPassword?: boolean;
  readonly onPasskey: (proof: object) => Promise<void>;
  readonly onPassword: (proof: PasswordProof) => Promise<void>;
}

export function ProofForm({ verb, name, hasPassword = true, onPasskey, onPassword }: ProofFormProps) {
  const [hasPasskeys, setPasskeys] = useState<boolean | null>(null);
  const [fault, setFault] = useState<ApiFault | null>(null);
  const [isBusy, setBusy] = useState(false);
  const passkeyButton = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    send<{ passkeys: boolean }>('GET', '/api/sign-in').then(
      ({ data }) => setPasskeys(data.passkeys && 'PublicKeyCredential' in window),
      () => setPasskeys('PublicKeyCredential' in window),
    );
  }, []);
  useLayoutEffect(() => passkeyButton.current?.focus(), [hasPasskeys]);

  const attempt = async (prove: () => Promise<void>) => {
    if (isBusy) return;
    setBusy(true);
    setFault(null);
    try {
      await prove();
    } catch (error) {
      setFault(asFault(error));
      setBusy(false);
    }
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (field: string) => String(form.get(field) ?? '');
    void attempt(() =>
      onPassword({ name: name ?? text('name'), password: text('password'), code: text('code').replaceAll(/\s/g, '') }),
    );
  };
  if (hasPasskeys === null) return null;
  return (
    <>
      {fault !== null && <Alert fault={fault} />}
      {hasPasskeys && (
        <button
          ref={passkeyButton}
          type="button"
          aria-busy={isBusy}
          onClick={() => void attempt(async () => onPasskey(await usePasskey()))}
        >
          {verb} with a passkey
        </button>
      )}
      {hasPasskeys && hasPassword && <p class="or">or</p>}
      {hasPassword && (
        <form class="stack" onSubmit={submit}>
          {name === undefined && <Field label="Name" name="name" autocomplete="username" required />}
          <Field label="Password" name="password" type="password" autocomplete="current-password" required />
          <Field
            label="Code of your authenticator app"
            name="code"
            class="code"
            inputMode="numeric"
            autocomplete="one-time-code"
            required
          />
          <button type="submit" class={hasPasskeys ? 'plain' : ''} aria-busy={isBusy}>
            {verb} with password and code
          </button>
        </form>
      )}
    </>
  );
}
