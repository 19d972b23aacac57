import { useState } from 'preact/hooks';
import { send } from '../../core/api.js';
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

/** Makes a link that the operator hands over; nothing is sent. */
export function LinkDialog({ user, onClose }: LinkDialogProps) {
  const [made, setMade] = useState<MadeLink | null>(null);
  const kinds = [
    ['recovery', 'Set a new password'],
    ['magiclink', 'Sign in'],
    ...(user.confirmed_at === undefined ? ([['invite', 'Accept an invitation']] as const) : []),
  ] as const;
  if (made !== null) {
    return (
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
  }
  return (
    <DeedDialog
      title={`A link for ${user.email}`}
      verb="Make link"
      onClose={onClose}
      run={async ({ reason, form }) => {
        const redirect_to = String(form.get('redirect_to') ?? '').trim() || undefined;
        const body = { type: String(form.get('type')), redirect_to, reason };
        setMade((await send<MadeLink>('POST', `/api/users/${user.id}/link`, { body })).data);
        return 'stays';
      }}
    >
      <p>To hand over by another way, after you know who asks. Nothing is sent.</p>
      <Choice label="What for" name="type" choices={kinds} />
      <Field label="redirect_to" hint="optional" name="redirect_to" type="url" />
    </DeedDialog>
  );
}
