/** The identity provider of one company: what is known of it, and what can be done. */
import { useState } from 'preact/hooks';
import { type ApiFault, asFault, send } from '../core/api.js';
import type { PageProps } from '../core/page.js';
import { useResource } from '../core/resource.js';
import { may, toast } from '../core/state.js';
import { Alert, Note } from '../parts/alert.js';
import { Copy, Details } from '../parts/details.js';
import { Heading } from '../parts/heading.js';
import { Time } from '../parts/time.js';
import { View } from '../parts/view.js';
import { CompanyDialog, DeleteCompany } from './companies/dialogs.js';
import { Domains } from './companies/domains.js';
import { Mapping } from './companies/mapping.js';
import { nameOfCompany, type ShownCompany, sayDomain } from './companies/shown-company.js';
import { CompanyState } from './companies/state.js';
import { CompanyFindings, CompanyTests } from './companies/test-sign-in.js';
import { Provisioning } from './provisioning/tokens.js';

export function Page({ params }: PageProps) {
  const path = `/api/sso-providers/${encodeURIComponent(params['sso_provider_id']!)}`;
  const shown = useResource<ShownCompany>(path);
  const [deed, setDeed] = useState<'change' | 'delete' | null>(null);
  const [fault, setFault] = useState<ApiFault | null>(null);
  const [isBusy, setBusy] = useState(false);
  const company = shown.data;
  const refresh = async () => {
    setBusy(true);
    setFault(null);
    try {
      shown.put((await send<ShownCompany>('POST', `${path}/refresh-metadata`, { body: {} })).data);
      toast('Metadata read');
    } catch (error) {
      setFault(asFault(error));
      await shown.reload(true);
    } finally {
      setBusy(false);
    }
  };
  const close = () => setDeed(null);
  return (
    <>
      <Heading
        title={company === undefined ? 'Company' : nameOfCompany(company)}
        about={company?.saml.entity_id ?? ''}
        of={shown}
      >
        {may('admin') && company !== undefined && (
          <>
            {company.saml.metadata_url !== undefined && (
              <button type="button" class="plain" aria-busy={isBusy} onClick={() => void refresh()}>
                Read metadata again
              </button>
            )}
            <button type="button" class="plain" onClick={() => setDeed('change')}>
              Change
            </button>
            <button type="button" class="plain" onClick={() => setDeed('delete')}>
              Delete
            </button>
          </>
        )}
      </Heading>
      {fault !== null && <Alert fault={fault} />}
      <View of={shown}>
        {(data) => (
          <>
            {data.saml.metadata_error !== null && (
              <Note tone="warn">
                <p>The metadata could not be read again, so the stored copy counts: {data.saml.metadata_error}</p>
              </Note>
            )}
            <Facts company={data} />
            <Certificates company={data} />
            <CompanyFindings company={data} />
            <CompanyTests company={data} />
            <Mapping company={data} onSaved={(changed) => shown.put(changed)} />
            <Domains company={data} onChanged={() => shown.reload(true)} />
            <Provisioning path={`/api/sso-providers/${data.id}`} />
          </>
        )}
      </View>
      {deed === 'change' && company !== undefined && (
        <CompanyDialog company={company} onClose={close} onDone={(changed) => shown.put(changed)} />
      )}
      {deed === 'delete' && company !== undefined && <DeleteCompany company={company} onClose={close} />}
    </>
  );
}

const Facts = ({ company }: { readonly company: ShownCompany }) => {
  const { saml, domains } = company;
  return (
    <Details
      rows={[
        ['State', <CompanyState company={company} />],
        ['Domains', domains.map(sayDomain).join(', ') || 'none: only its id leads to it'],
        ['Id', <Copy text={company.id} what="the id" />],
        ['resource_id', company.resource_id],
        [
          'Organization',
          company.organization_id && (
            <a href={`/orgs/${company.organization_id}`}>
              <code>{company.organization_id}</code>
            </a>
          ),
        ],
        ['Join as', company.organization_id && sayRoles(company)],
        ['Metadata at', saml.metadata_url ?? 'a file that was given here'],
        ['Metadata read', <Time at={saml.metadata_refreshed_at} />],
        ['Metadata ends', saml.valid_until && <Time at={saml.valid_until} isExact />],
        ['Name ID format', saml.name_id_format ?? 'persistent'],
        ['Begin at the provider', saml.idp_initiated === false ? 'not allowed' : 'allowed'],
        ['Sign in each time', saml.force_authn ? 'yes' : null],
        ['Way to sign in', saml.authn_context],
        ['Added', <Time at={company.created_at} isExact />],
        ['Changed', <Time at={company.updated_at} isExact />],
      ]}
    />
  );
};

function sayRoles({ roles = [], role_mapping: mapping = [] }: ShownCompany): string {
  const other = mapping.length === 0 ? '' : `; others by ${mapping.length} values of attributes`;
  return `${roles.join(', ')}${other}`;
}

const Certificates = ({ company }: { readonly company: ShownCompany }) => (
  <section class="card">
    <h2>Certificates</h2>
    <Details
      rows={company.saml.certificates.map(({ fingerprint, not_after }, i) => [
        company.saml.certificates.length > 1 ? `${i + 1}.` : 'Signs',
        <>
          ends <Time at={not_after} isExact /> (<Time at={not_after} />) <code class="break">{fingerprint}</code>
        </>,
      ])}
    />
  </section>
);
