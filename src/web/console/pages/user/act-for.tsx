/** An operator acts for a user: a token that says so, for 15 minutes at most. It is in this dialog and nowhere else. */
import { useState } from 'preact/hooks';
import { send } from '../../core/api.js';
import { operator, toast } from '../../core/state.js';
import { type ImpersonationRule, nameOfUser, type User } from '../../core/user.js';
import { Note } from '../../parts/alert.js';
import { Details } from '../../parts/details.js';
import { DeedDialog, Dialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { SecretDialog } from '../../parts/secret-dialog.js';
import { Time } from '../../parts/time.js';

interface ActForProps {
  readonly user: User;
  readonly impersonation: ImpersonationRule;
  readonly reload: () => Promise<void>;
  readonly onClose: () => void;
}

interface ActingToken {
  readonly access_token: string;
  readonly expires_at: number;
  readonly session_id: string;
}

export function ActForUser(props: ActForProps) {
  const [token, setToken] = useState<ActingToken | null>(null);
  const { user, impersonation, reload, onClose } = props;
  if (token !== null) return <TokenDialog {...props} token={token} />;
  if (impersonation.refused !== null) return <RefusedDialog {...props} />;
  return (
    <DeedDialog
      title={`Act as ${nameOfUser(user)}?`}
      verb="Get the token"
      isDanger
      hasReason={false}
      onClose={onClose}
      run={async ({ reason }) => {
        const { data } = await send<ActingToken>('POST', `/api/users/${user.id}/impersonate`, { body: { reason } });
        setToken(data);
        await reload();
        return 'stays';
      }}
    >
      <ul class="facts">
        <li>You get an access token, for 15 minutes at most, with which an application takes you for this user.</li>
        <li>
          It reads. What gets anybody into the account, such as password, address and factors, stays with the user.
        </li>
        <li>Its session is among those of the user, with your name; whoever ends it there ends the token.</li>
        <li>
          The audit log keeps who acted, when and why.{' '}
          {impersonation.notifies
            ? 'The user gets a notice of it.'
            : 'The user gets no notice: AUTH_MAILER_NOTIFICATIONS_IMPERSONATED_ENABLED is off, or there is no confirmed address.'}
        </li>
      </ul>
      <Field
        label="Reason"
        hint="part of the audit entry, 3 letters at least"
        name="reason"
        minLength={3}
        maxLength={500}
        autocomplete="off"
        required
      />
    </DeedDialog>
  );
}

/** An application sets it for its user, so that nothing here can be pressed. */
const RefusedDialog = ({ user, impersonation, onClose }: ActForProps) => (
  <Dialog title={`Nobody acts as ${nameOfUser(user)}`} onClose={onClose}>
    <div class="stack">
      <Note tone="warn">
        <p>An operator cannot act for this user: {impersonation.refused}.</p>
      </Note>
      {user.app_metadata['no_impersonation'] === true && (
        <p>
          <code>app_metadata.no_impersonation</code> says so. The application sets it for its user; the console cannot
          change it.
        </p>
      )}
      <div class="actions">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </div>
  </Dialog>
);

function TokenDialog({ user, token, reload, onClose }: ActForProps & { readonly token: ActingToken }) {
  const [isEnding, setEnding] = useState(false);
  const end = async () => {
    setEnding(true);
    try {
      await send('DELETE', `/api/users/${user.id}/sessions/${token.session_id}`, {
        body: { reason: 'ended by who acted' },
      });
      toast('The token has ended');
      onClose();
      await reload();
    } catch {
      toast('The token could not be ended: end its session under Sessions', true);
      setEnding(false);
    }
  };
  return (
    <SecretDialog
      title={`You act as ${nameOfUser(user)}`}
      what="the access token"
      secret={token.access_token}
      onClose={onClose}
      actions={
        <button type="button" class="plain" aria-busy={isEnding} onClick={() => void end()}>
          End it now
        </button>
      }
    >
      <Details
        rows={[
          ['Ends', <Time at={new Date(token.expires_at * 1000).toISOString()} isExact />],
          ['Sent as', <code>Authorization: Bearer …</code>],
          ['Claim act', <code>{JSON.stringify(actOf(token.access_token))}</code>],
        ]}
      />
      <p>
        The claim <code>act</code> (RFC 8693) names who acts: {operator.value?.name}, by your id. Applications that log
        it tell you and the user apart. There is no refresh token.
      </p>
    </SecretDialog>
  );
}

/** What the token itself says. */
function actOf(accessToken: string): unknown {
  const payload = accessToken.split('.')[1] ?? '';
  try {
    return (JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as { act?: unknown }).act;
  } catch {
    return null;
  }
}
