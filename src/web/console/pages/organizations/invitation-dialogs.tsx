/** What can be done to invitations of an organization. */
import { ApiFault, send } from '../../core/api.js';
import { toast } from '../../core/state.js';
import { DeedDialog, Dialog } from '../../parts/dialog.js';
import { Area } from '../../parts/field.js';
import { linesOf } from '../webhooks/shown-webhook.js';
import { RolesField, readRoleBoxes } from './roles-field.js';
import type { ShownRole } from './shown-organization.js';

export interface ShownInvitation {
  readonly id: string;
  readonly email: string;
  readonly roles: readonly string[];
  /** Id of a user; null: an administrator. */
  readonly invited_by: string | null;
  readonly created_at: string;
  readonly expires_at: string;
}

/** Of one address of several. */
interface InvitationResult {
  readonly email: string;
  readonly invitation?: ShownInvitation;
  readonly error_code?: string;
  readonly msg?: string;
}

export type InvitationDeed =
  | { readonly kind: 'invite' }
  | { readonly kind: 'resend' | 'revoke'; readonly of: ShownInvitation }
  | { readonly kind: 'results'; readonly of: readonly InvitationResult[] };

interface InvitationDialogProps {
  readonly deed: InvitationDeed;
  /** Of all of the organization. */
  readonly path: string;
  readonly roles: readonly ShownRole[];
  readonly reload: () => Promise<void>;
  /** Shows what comes of it. */
  readonly follow: (deed: InvitationDeed) => void;
  readonly onClose: () => void;
}

export function InvitationDialog({ deed, path, roles, reload, follow, onClose }: InvitationDialogProps) {
  const done = async (text: string) => {
    toast(text);
    await reload();
  };
  if (deed.kind === 'results') return <Results of={deed.of} onClose={onClose} />;
  if (deed.kind === 'invite') {
    return (
      <DeedDialog
        title="Invite to the organization"
        verb="Invite"
        onClose={onClose}
        run={async ({ reason, form }) => {
          const body = { emails: linesOf(form, 'emails'), roles: readRoleBoxes(form), reason };
          const { invitations } = (
            await send<{ readonly invitations: readonly InvitationResult[] }>('POST', path, { body })
          ).data;
          const [first, ...others] = invitations;
          if (others.length === 0 && first?.msg !== undefined) {
            throw new ApiFault(0, first.error_code ?? 'unknown', first.msg);
          }
          await done(sayInvited(invitations));
          if (invitations.every(({ msg }) => msg === undefined)) return;
          follow({ kind: 'results', of: invitations });
          return 'stays';
        }}
      >
        <p>
          Each gets a mail with a link, which names no inviter. It gives the roles, whether the address has an account
          or not.
        </p>
        <Area label="Addresses" name="emails" hint="one a line, 50 at most" required />
        <RolesField roles={roles} chosen={['member']} />
      </DeedDialog>
    );
  }
  const { kind, of } = deed;
  const own = `${path}/${of.id}`;
  return kind === 'resend' ? (
    <DeedDialog
      title={`Send again to ${of.email}?`}
      verb="Send again"
      onClose={onClose}
      run={async ({ reason }) => {
        await send('POST', `${own}/resend`, { body: { reason } });
        await done('Invitation sent again');
      }}
    >
      <p>
        The former link ends, and its time begins anew. It has no inviter then, and gives its roles whatever the inviter
        may do now.
      </p>
    </DeedDialog>
  ) : (
    <DeedDialog
      title={`Revoke the invitation of ${of.email}?`}
      verb="Revoke"
      isDanger
      onClose={onClose}
      run={async ({ reason }) => {
        await send('DELETE', own, { body: { reason } });
        await done('Invitation revoked');
      }}
    >
      <p>Its link ends at once. The address can be invited again.</p>
    </DeedDialog>
  );
}

const sayInvited = (results: readonly InvitationResult[]): string =>
  `${results.filter(({ invitation }) => invitation !== undefined).length} invited`;

/** Which addresses were refused, and why. */
const Results = ({ of, onClose }: { readonly of: readonly InvitationResult[]; readonly onClose: () => void }) => (
  <Dialog title={`${sayInvited(of)}, some not`} onClose={onClose}>
    <div class="stack">
      <ul class="plain-list">
        {of
          .filter(({ msg }) => msg !== undefined)
          .map(({ email, msg }, index) => (
            <li key={`${index} ${email}`}>
              <strong class="break">{email}</strong>: {msg}
            </li>
          ))}
      </ul>
      <div class="actions">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </div>
  </Dialog>
);
