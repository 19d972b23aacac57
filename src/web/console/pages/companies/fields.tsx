/** The form of the identity provider of a company. */

import type { ApiFault } from '../../core/api.js';
import { may } from '../../core/state.js';
import { Area, CheckBox, Choice, Field } from '../../parts/field.js';
import { MetadataFields } from './metadata-fields.js';
import { PlaceFields } from './place-fields.js';
import { type CompanyField, fieldOfFault, type ShownCompany, writeMapping } from './shown-company.js';

interface FieldsProps {
  /** Undefined: a new one. */
  readonly company?: ShownCompany;
  readonly fault: ApiFault | null;
}

export function CompanyFields({ company, fault }: FieldsProps) {
  const saml = company?.saml;
  return (
    <>
      <MetadataFields
        isNew={company === undefined}
        mayName={may('owner')}
        isFile={company !== undefined && saml?.metadata_url === undefined}
        fault={faultAt(fault, 'metadata')}
      />
      <Area label="Domains" name="domains" hint="of their addresses, one a line" {...described(fault, 'domains')}>
        {company?.domains.map(({ domain }) => domain).join('\n') ?? ''}
      </Area>
      <FieldFault fault={fault} field="domains" />
      <Area
        label="Attribute mapping"
        name="attribute_mapping"
        hint="JSON; empty: only the address"
        rows={6}
        {...described(fault, 'attribute_mapping')}
      >
        {writeMapping(saml?.attribute_mapping ?? {})}
      </Area>
      <FieldFault fault={fault} field="attribute_mapping" />
      <Field
        label="resource_id"
        name="resource_id"
        hint="an id of your own; empty: none"
        defaultValue={company?.resource_id ?? ''}
        maxLength={255}
        autocomplete="off"
      />
      <Choice
        label="Name ID format"
        name="name_id_format"
        choices={formatsWith(saml?.name_id_format)}
        value={saml?.name_id_format ?? ''}
      />
      <Field
        label="Way to sign in"
        name="authn_context"
        hint="a URI that requests ask for; empty: any"
        defaultValue={saml?.authn_context ?? ''}
        autocomplete="off"
      />
      <CheckBox
        name="enforced"
        isOn={saml?.enforced ?? false}
        label="Enforced: addresses of its domains sign in there only"
      />
      <CheckBox name="force_authn" isOn={saml?.force_authn ?? false} label="People sign in again there each time" />
      <CheckBox name="idp_initiated" isOn={saml?.idp_initiated ?? true} label="Sign-ins may begin at the provider" />
      <CheckBox
        name="disabled"
        isOn={company?.disabled ?? false}
        label="Disabled: no one can sign in, and its sessions end"
      />
      <PlaceFields company={company} />
    </>
  );
}

const formats = ['persistent', 'emailAddress', 'transient', 'unspecified'] as const;

/** The API also takes a URI, which the form must not lose. */
function formatsWith(stored = ''): readonly (readonly [string, string])[] {
  const usual = [['', 'persistent (default)'], ...formats.map((one) => [one, one] as const)] as const;
  const isKnown = usual.some(([value]) => value === stored);
  return isKnown ? usual : [...usual, [stored, stored]];
}

const faultAt = (fault: ApiFault | null, field: CompanyField): ApiFault | null =>
  fault !== null && fieldOfFault(fault) === field ? fault : null;

const described = (fault: ApiFault | null, field: CompanyField) =>
  faultAt(fault, field) === null ? {} : ({ 'aria-invalid': true, 'aria-describedby': `${field}-fault` } as const);

const FieldFault = ({ fault, field }: { readonly fault: ApiFault | null; readonly field: CompanyField }) =>
  faultAt(fault, field) === null ? null : (
    <p id={`${field}-fault`} class="fault small" role="alert">
      {fault!.message}
    </p>
  );
