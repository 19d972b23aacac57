/** What can be done to the identity provider of a company. */
import { useState } from 'preact/hooks';
import { type ApiFault, asFault, send } from '../../core/api.js';
import { navigate } from '../../core/location.js';
import { toast } from '../../core/state.js';
import { DeedDialog } from '../../parts/dialog.js';
import { CompanyFields } from './fields.js';
import { readCompanyPlace } from './place-fields.js';
import { fieldOfFault, nameOfCompany, readCompanyForm, type ShownCompany } from './shown-company.js';

interface FormProps {
  /** Undefined: a new one. */
  readonly company?: ShownCompany;
  readonly onDone: (company: ShownCompany) => void;
  readonly onClose: () => void;
}

/** Adds or changes one. */
export function CompanyDialog({ company, onDone, onClose }: FormProps) {
  const [fault, setFault] = useState<ApiFault | null>(null);
  const isNew = company === undefined;
  return (
    <DeedDialog
      title={isNew ? 'Add a company' : 'Change the company'}
      verb={isNew ? 'Add company' : 'Save'}
      onClose={onClose}
      saysItself={(found) => fieldOfFault(found) !== null}
      run={async ({ reason, form }) => {
        setFault(null);
        try {
          const body = { ...readCompanyForm(form), ...(await readCompanyPlace(form)), reason };
          const path = isNew ? '/api/sso-providers' : `/api/sso-providers/${company.id}`;
          const { data } = await send<ShownCompany>(isNew ? 'POST' : 'PUT', path, { body });
          toast(isNew ? 'Company added' : 'Company changed');
          onDone(data);
        } catch (error) {
          setFault(asFault(error));
          throw error;
        }
      }}
    >
      <CompanyFields fault={fault} {...(company && { company })} />
    </DeedDialog>
  );
}

export const DeleteCompany = ({
  company,
  onClose,
}: {
  readonly company: ShownCompany;
  readonly onClose: () => void;
}) => (
  <DeedDialog
    title="Delete the company?"
    verb="Delete company"
    isDanger
    typed={nameOfCompany(company)}
    onClose={onClose}
    run={async ({ reason }) => {
      await send('DELETE', `/api/sso-providers/${company.id}`, { body: { reason } });
      toast('Company deleted');
      navigate('/companies');
    }}
  >
    <p>
      The sessions of its people end, and they can no longer sign in. Their accounts stay. A provider that is added anew
      has another id, so its people get new accounts. To stop sign-ins for a while, disable it.
    </p>
  </DeedDialog>
);
