import { useEffect, useState } from 'preact/hooks';
import { type ApiFault, asFault, send } from '../core/api.js';
import type { Operator } from '../core/state.js';
import { Alert } from '../parts/alert.js';
import { Copy } from '../parts/details.js';
import { Field } from '../parts/field.js';
import { Skeleton } from '../parts/view.js';

interface Authenticator {
  readonly secret: string;
  readonly uri: string;
  /** SVG. */
  readonly qr_code: string;
}

interface LinkPasswordProps {
  readonly link: string;
  readonly name: string;
  readonly onDone: (operator: Operator) => void;
}

/** A password counts only with an authenticator app, so both are set up together. */
export function LinkPassword({ link, name, onDone }: LinkPasswordProps) {
  const [authenticator, setAuthenticator] = useState<Authenticator | null>(null);
  const [fault, setFault] = useState<ApiFault | null>(null);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    send<Authenticator>('POST', '/api/link/authenticator', { body: { link } }).then(
      ({ data }) => setAuthenticator(data),
      (error: unknown) => setFault(asFault(error)),
    );
  }, [link]);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const body = { link, password: String(form.get('password')), code: String(form.get('code')).replaceAll(/\s/g, '') };
    setBusy(true);
    setFault(null);
    try {
      onDone((await send<{ operator: Operator }>('POST', '/api/link/password', { body })).data.operator);
    } catch (error) {
      setFault(asFault(error));
      setBusy(false);
    }
  };
  if (authenticator === null) return fault === null ? <Skeleton rows={4} /> : <Alert fault={fault} />;
  const { secret, uri, qr_code } = authenticator;
  return (
    <form class="stack" onSubmit={(event) => void submit(event)}>
      {fault !== null && <Alert fault={fault} />}
      <p>
        Scan this with your authenticator app, or <a href={uri}>open it in an app on this device</a>.
      </p>
      <img class="qr" alt="The secret as a QR code" src={`data:image/svg+xml,${encodeURIComponent(qr_code)}`} />
      <Copy text={secret} what="the secret" />
      {/* Password managers store it under this name. */}
      <input class="hidden" name="username" autocomplete="username" value={name} readOnly tabIndex={-1} aria-hidden />
      <Field label="Password" name="password" type="password" autocomplete="new-password" required />
      <Field
        label="Code that the app shows"
        name="code"
        class="code"
        inputMode="numeric"
        autocomplete="one-time-code"
        required
      />
      <button type="submit" aria-busy={isBusy}>
        Set password and sign in
      </button>
    </form>
  );
}
