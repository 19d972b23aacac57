/** What can be done to an organization itself. */
import { send } from '../../core/api.js';
import { navigate } from '../../core/location.js';
import { toast } from '../../core/state.js';
import { DeedDialog } from '../../parts/dialog.js';
import { Area, Field } from '../../parts/field.js';
import { findOneUser } from './find-one-user.js';
import { formTextsOf, pathOfOrganization, readOrganizationForm, type ShownOrganization } from './shown-organization.js';

interface OrganizationDialogProps {
  /** Undefined: a new one. */
  readonly organization?: ShownOrganization;
  readonly onDone: (organization: ShownOrganization) => void;
  readonly onClose: () => void;
}

/** Adds or changes one. */
export function OrganizationDialog({ organization, onDone, onClose }: OrganizationDialogProps) {
  const isNew = organization === undefined;
  const texts = formTextsOf(organization);
  return (
    <DeedDialog
      title={isNew ? 'Add an organization' : `Change ${organization.name}`}
      verb={isNew ? 'Add organization' : 'Save'}
      onClose={onClose}
      run={async ({ reason, form }) => {
        const given = readOrganizationForm(form, texts);
        const owner = isNew ? { owner_id: (await findOneUser(String(form.get('owner') ?? ''))).id } : {};
        const path = isNew ? '/api/organizations' : pathOfOrganization(organization.id);
        const body = { ...given, ...owner, reason };
        const { data } = await send<ShownOrganization>(isNew ? 'POST' : 'PUT', path, { body });
        toast(isNew ? 'Organization added' : 'Organization changed');
        onDone(data);
      }}
    >
      <Field label="Name" name="name" defaultValue={texts.name} maxLength={100} autocomplete="off" required />
      {isNew && <Field label="Owner" name="owner" hint="email, phone or id of a user" autocomplete="off" required />}
      <Field
        label="Slug"
        name="slug"
        hint={isNew ? 'for addresses; empty: made from the name' : 'for addresses; tokens name it'}
        defaultValue={texts.slug}
        maxLength={63}
        autocomplete="off"
        required={!isNew}
      />
      <Field
        label="Logo"
        name="logo_url"
        hint="https://; empty: none"
        type="url"
        defaultValue={texts.logo_url}
        autocomplete="off"
      />
      <Field
        label="Members at most"
        name="max_members"
        hint="0: no limit; empty: as the setting says"
        type="number"
        min={0}
        defaultValue={texts.max_members}
        autocomplete="off"
      />
      <Area label="Metadata" name="metadata" hint="JSON, 8 kB at most" rows={5}>
        {texts.metadata}
      </Area>
    </DeedDialog>
  );
}

export const DeleteOrganization = ({
  organization: { id, name, slug },
  onClose,
}: {
  readonly organization: ShownOrganization;
  readonly onClose: () => void;
}) => (
  <DeedDialog
    title={`Delete ${name}?`}
    verb="Delete organization"
    isDanger
    typed={slug}
    onClose={onClose}
    run={async ({ reason }) => {
      await send('DELETE', pathOfOrganization(id), { body: { reason } });
      toast('Organization deleted');
      navigate('/orgs');
    }}
  >
    <p>
      Its memberships, pending invitations and domains are deleted with it. Accounts and their sessions stay; the next
      token of each says nothing of it any more.
    </p>
  </DeedDialog>
);
