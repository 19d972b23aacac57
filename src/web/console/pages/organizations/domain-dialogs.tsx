/** What can be done to a domain of an organization. */
import { send } from '../../core/api.js';
import { toast } from '../../core/state.js';
import { DeedDialog } from '../../parts/dialog.js';
import type { ShownProof } from '../../parts/domain-card.js';
import { CheckBox, Field } from '../../parts/field.js';
import { RolesField, readRoleBoxes } from './roles-field.js';
import type { ShownRole } from './shown-organization.js';

export interface ShownDomain extends ShownProof {
  readonly auto_join: boolean;
  /** Of those who join by it. */
  readonly roles: readonly string[];
  readonly created_at: string;
  readonly verified_at: string | null;
}

export type DomainDeed =
  | { readonly kind: 'add' }
  | { readonly kind: 'vouch' | 'joins' | 'remove'; readonly of: ShownDomain };

interface DomainDialogProps {
  readonly deed: DomainDeed;
  /** Of all of the organization. */
  readonly path: string;
  /** Those that may be given. */
  readonly roles: readonly ShownRole[];
  readonly reload: () => Promise<void>;
  readonly onClose: () => void;
}

export function DomainDialog({ deed, path, roles, reload, onClose }: DomainDialogProps) {
  const done = async (text: string) => {
    toast(text);
    await reload();
  };
  if (deed.kind === 'add') {
    return (
      <DeedDialog
        title="Add a domain"
        verb="Add domain"
        onClose={onClose}
        run={async ({ reason, form }) => {
          const domain = String(form.get('domain') ?? '').trim();
          const verified = form.get('verified') !== null;
          await send('POST', path, { body: { domain, ...readJoins(form), ...(verified && { verified }), reason } });
          await done('Domain added');
        }}
      >
        <Field label="Domain" name="domain" hint="such as example.com" autocomplete="off" required />
        <JoinsFields roles={roles} isOn={false} chosen={['member']} />
        <CheckBox name="verified" label="Mark as proved" hint="without a record: you know that it is theirs" />
      </DeedDialog>
    );
  }
  const { kind, of } = deed;
  const own = `${path}/${encodeURIComponent(of.domain)}`;
  if (kind === 'joins') {
    return (
      <DeedDialog
        title={`Who joins by ${of.domain}`}
        verb="Save"
        onClose={onClose}
        run={async ({ reason, form }) => {
          await send('PUT', own, { body: { ...readJoins(form), reason } });
          await done('Domain changed');
        }}
      >
        <p>They join at their next sign-in. Members stay as they are.</p>
        <JoinsFields roles={roles} isOn={of.auto_join} chosen={of.roles} />
      </DeedDialog>
    );
  }
  if (kind === 'vouch') return <Vouch {...{ of, own, done, onClose }} />;
  return (
    <DeedDialog
      title={`Remove ${of.domain}?`}
      verb="Remove"
      isDanger
      onClose={onClose}
      run={async ({ reason }) => {
        await send('DELETE', own, { body: { reason } });
        await done('Domain removed');
      }}
    >
      <p>No one joins by it any more. Members who did so stay.</p>
    </DeedDialog>
  );
}

interface VouchProps {
  readonly of: ShownDomain;
  readonly own: string;
  readonly done: (text: string) => Promise<void>;
  readonly onClose: () => void;
}

function Vouch({ of: { domain, status }, own, done, onClose }: VouchProps) {
  const isVerified = status === 'verified';
  return (
    <DeedDialog
      title={isVerified ? `Is ${domain} no longer proved?` : `Mark ${domain} as proved?`}
      verb={isVerified ? 'No longer proved' : 'Mark as proved'}
      isDanger={isVerified}
      onClose={onClose}
      run={async ({ reason }) => {
        await send('PUT', own, { body: { verified: !isVerified, reason } });
        await done(isVerified ? 'The domain waits for its record' : 'The domain counts');
      }}
    >
      <p>
        {isVerified
          ? 'No one joins by it, and its addresses are not taken as proven from the identity providers of the organization, until its record is seen.'
          : 'It counts without a record: people join by it as set, and what the identity providers of the organization say of its addresses is taken as proven. Be sure that it is theirs.'}
      </p>
    </DeedDialog>
  );
}

interface JoinsFieldsProps {
  readonly roles: readonly ShownRole[];
  readonly isOn: boolean;
  readonly chosen: readonly string[];
}

const JoinsFields = ({ roles, isOn, chosen }: JoinsFieldsProps) => (
  <>
    <CheckBox
      name="auto_join"
      label="People join by it"
      hint="at their next sign-in, if they have proven an address of it"
      isOn={isOn}
    />
    <RolesField legend="Roles of those who join" roles={roles} chosen={chosen} />
  </>
);

const readJoins = (form: FormData) => ({ auto_join: form.get('auto_join') !== null, roles: readRoleBoxes(form) });
