import { useState } from 'preact/hooks';
import { send } from '../../core/api.js';
import { may, toast } from '../../core/state.js';
import type { User } from '../../core/user.js';
import { Note } from '../../parts/alert.js';
import { Copy } from '../../parts/details.js';
import { DeedDialog, Dialog } from '../../parts/dialog.js';
import { Choice, Field } from '../../parts/field.js';

interface MadeLink {
  readonly action_link: string;
  readonly email_otp: string;
}

interface LinkDialogProps {
  readonly user: User;
  readonly onClose: () => void;
}

/** A link for the user: mailed as usual, or made for the operator to hand over, which takes a higher role. */
export function LinkDialog({ user, onClose }: LinkDialogProps) {
  const [made, setMade] = useState<MadeLink | null>(null);
  const [isSent, setSent] = useState(true);
  if (made !== null) return <MadeLinkDialog user={user} made={made} onClose={onClose} />;
  const isUnconfirmed = user.email_confirmed_at === undefined;
  const kinds = [
    ...(isUnconfirmed ? ([['signup', 'Confirm the address']] as const) : []),
    ['recovery', 'Set a new password'],
    ['magiclink', 'Sign in'],
    ...(isUnconfirmed ? ([['invite', 'Accept an invitation']] as const) : []),
  ] as const;
  return (
    <DeedDialog
      title={`A link for ${user.email}`}
      verb={isSent ? 'Send link' : 'Make link'}
      onClose={onClose}
      run={async ({ reason, form }) => {
        const redirect_to = String(form.get('redirect_to') ?? '').trim() || undefined;
        const body = { type: String(form.get('type')), redirect_to, reason };
        const path = `/api/users/${user.id}/link`;
        if (!isSent) {
          setMade((await send<MadeLink>('POST', path, { body })).data);
          return 'stays';
        }
        const { data } = await send<{ readonly sent_to: string }>('POST', `${path}/send`, { body });
        return toast(`On its way to ${data.sent_to}`);
      }}
    >
      <Choice label="What for" name="type" choices={kinds} />
      {may('admin') && (
        <Choice
          label="How"
          name="delivery"
          choices={[
            ['send', `Send it to ${user.email}`],
            ['copy', 'Show it here, to hand over'],
          ]}
          onChange={(how) => setSent(how === 'send')}
        />
      )}
      <p>
        {isSent
          ? 'The mail is the one that the user would ask for, and counts for its send interval. Nobody here sees the link.'
          : 'To hand over by another way, after you know who asks. Nothing is sent.'}
      </p>
      <Field label="redirect_to" hint="optional" name="redirect_to" type="url" />
    </DeedDialog>
  );
}

const MadeLinkDialog = ({ user, made, onClose }: LinkDialogProps & { readonly made: MadeLink }) => (
  <Dialog title="The link" onClose={onClose}>
    <Note tone="warn">
      <p>Whoever has it is signed in as {user.email}. It works once, and is not shown again.</p>
    </Note>
    <Copy text={made.action_link} what="the link" />
    <p>
      Its code, for a page that asks for one: <Copy text={made.email_otp} what="the code" />
    </p>
    <div class="actions">
      <button type="button" onClick={onClose}>
        Close
      </button>
    </div>
  </Dialog>
);
