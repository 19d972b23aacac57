/** What an organization demands of the sessions that act for it. */
import { useState } from 'preact/hooks';
import { send } from '../../core/api.js';
import { mergeOf } from '../../core/json-changes.js';
import { may, toast } from '../../core/state.js';
import { Details } from '../../parts/details.js';
import { DeedDialog } from '../../parts/dialog.js';
import { Area, CheckBox, Field } from '../../parts/field.js';
import { linesOf } from '../webhooks/shown-webhook.js';
import { pathOfOrganization, type ShownOrganization, type ShownPolicies } from './shown-organization.js';

interface PoliciesProps {
  readonly organization: ShownOrganization;
  readonly onChanged: (organization: ShownOrganization) => void;
}

export function OrganizationPolicies({ organization, onChanged }: PoliciesProps) {
  const [isOpen, setOpen] = useState(false);
  const { id, policies } = organization;
  const { require_aal2, require_sso, session_hours, allowed_domains } = policies;
  return (
    <section class="card">
      <header class="row">
        <h2>Policies</h2>
        {may('admin') && (
          <button type="button" class="plain small" onClick={() => setOpen(true)}>
            Change<span class="hidden"> policies</span>
          </button>
        )}
      </header>
      <Details
        rows={[
          ['Second factor', require_aal2 ? 'needed' : 'as each member has it'],
          ['Sign-in', require_sso ? 'at a provider of the organization' : 'in any way'],
          ['Age of a sign-in', session_hours === null ? 'any' : `${session_hours.toLocaleString('en')} h at most`],
          ['Addresses', allowed_domains.length === 0 ? 'of any domain' : `of ${allowed_domains.join(', ')}`],
        ]}
      />
      {isOpen && (
        <DeedDialog
          title="Change the policies"
          verb="Save"
          onClose={() => setOpen(false)}
          run={async ({ reason, form }) => {
            const body = { policies: mergeOf({ ...policies }, { ...readPolicies(form) }), reason };
            const { data } = await send<ShownOrganization>('PUT', `${pathOfOrganization(id)}/policies`, { body });
            toast('Policies changed');
            onChanged(data);
          }}
        >
          <p>They count when it becomes active and at each refresh. Members stay; administrators are not bound.</p>
          <CheckBox
            name="require_aal2"
            label="A second factor is needed"
            hint="in the session that acts for it"
            isOn={require_aal2}
          />
          <CheckBox
            name="require_sso"
            label="Sign-in at a provider of the organization"
            hint="all but owners with a second factor"
            isOn={require_sso}
          />
          <Field
            label="Age of a sign-in"
            name="session_hours"
            hint="in hours, at most; empty: any"
            type="number"
            min={1}
            max={8760}
            defaultValue={session_hours ?? ''}
            autocomplete="off"
          />
          <Area
            label="Domains of addresses"
            name="allowed_domains"
            hint="of whom members invite, one a line; empty: all"
          >
            {allowed_domains.join('\n')}
          </Area>
        </DeedDialog>
      )}
    </section>
  );
}

function readPolicies(form: FormData): ShownPolicies {
  const hours = String(form.get('session_hours') ?? '').trim();
  return {
    require_aal2: form.get('require_aal2') !== null,
    require_sso: form.get('require_sso') !== null,
    session_hours: hours === '' ? null : Number(hours),
    allowed_domains: linesOf(form, 'allowed_domains'),
  };
}
