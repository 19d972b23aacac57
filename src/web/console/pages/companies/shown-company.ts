/** Identity providers of companies as the API shows them, and what a form says of one. */
import { ApiFault } from '../../core/api.js';
import type { ShownProof } from '../../parts/domain-card.js';
import { linesOf } from '../webhooks/shown-webhook.js';

export interface ShownCompany {
  readonly id: string;
  readonly resource_id?: string;
  readonly disabled: boolean | null;
  /** Absent: it belongs to none. */
  readonly organization_id?: string;
  /** Of those who join the organization by a sign-in. */
  readonly roles?: readonly string[];
  readonly role_mapping?: readonly {
    readonly attribute: string;
    readonly value: string;
    readonly roles: readonly string[];
  }[];
  readonly saml: {
    readonly entity_id: string;
    readonly metadata_xml?: string;
    readonly metadata_url?: string;
    readonly attribute_mapping: Readonly<Record<string, unknown>>;
    readonly name_id_format?: string;
    readonly certificates: readonly { readonly fingerprint: string; readonly not_after: string }[];
    readonly valid_until: string | null;
    readonly metadata_refreshed_at: string;
    readonly metadata_error: string | null;
    readonly idp_initiated?: boolean;
    readonly enforced?: boolean;
    readonly force_authn?: boolean;
    readonly authn_context?: string;
  };
  /** `pending`: it counts only once its record in the DNS is seen. */
  readonly domains: readonly { readonly domain: string; readonly status?: 'verified' | 'pending' }[];
  /** With the records that prove them, also where that is not needed. */
  readonly proofs: readonly ShownProof[];
  /** Whether domains count only once they are proved. */
  readonly needs_proof: boolean;
  readonly ends: readonly { readonly what: 'certificate' | 'metadata'; readonly ends_at: string }[];
  readonly fault: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface OwnSaml {
  readonly entity_id: string;
  readonly acs_url: string;
  readonly slo_url: string;
  readonly metadata_url: string;
  readonly download_url: string;
  readonly certificates: readonly string[];
}

export interface CompanyGuide {
  readonly title: string;
  readonly register_at: string | null;
  readonly steps: readonly string[];
  readonly notes: readonly string[];
}

export interface CompanyList {
  /** Null: SAML is off. */
  readonly own: OwnSaml | null;
  readonly guides: readonly CompanyGuide[];
  readonly providers: readonly ShownCompany[];
}

/** As `acme.example (not proved)`. */
export const sayDomain = ({ domain, status }: ShownCompany['domains'][number]): string =>
  status === 'pending' ? `${domain} (not proved)` : domain;

export const nameOfCompany = ({ domains, resource_id, saml }: ShownCompany): string =>
  domains[0]?.domain ?? resource_id ?? hostOf(saml.entity_id);

const hostOf = (entityId: string): string => (URL.canParse(entityId) && new URL(entityId).host) || entityId;

/** @throws ApiFault for a mapping that is no JSON. Metadata that is not given is left out: what is stored stays. */
export function readCompanyForm(form: FormData): Record<string, unknown> {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  const [url, xml] = [text('metadata_url'), text('metadata_xml')];
  return {
    ...(url !== '' && { metadata_url: url }),
    ...(xml !== '' && { metadata_xml: xml }),
    domains: linesOf(form, 'domains'),
    resource_id: text('resource_id'),
    name_id_format: text('name_id_format'),
    attribute_mapping: readMapping(text('attribute_mapping')),
    authn_context: text('authn_context'),
    enforced: form.get('enforced') !== null,
    force_authn: form.get('force_authn') !== null,
    idp_initiated: form.get('idp_initiated') !== null,
    disabled: form.get('disabled') !== null,
  };
}

/** @throws ApiFault */
export function readMapping(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ApiFault(0, 'not_json', `attribute_mapping is no JSON: ${(error as Error).message}`);
  }
}

export const writeMapping = (mapping: Readonly<Record<string, unknown>>): string =>
  Object.keys(mapping).length === 0 ? '' : JSON.stringify(mapping, null, 2);

export type CompanyField = 'metadata' | 'domains' | 'attribute_mapping';

/** @returns the field of the form that a refusal is about; null: another one, or all */
export function fieldOfFault({ code, message }: ApiFault): CompanyField | null {
  if (/^saml_/.test(code) || /^(?:SAML Metadata|metadata_|Either metadata_|Only one of metadata_)/.test(message)) {
    return 'metadata';
  }
  if (code === 'sso_domain_already_exists' || message.startsWith('domains ')) return 'domains';
  return message.startsWith('attribute_mapping') ? 'attribute_mapping' : null;
}
