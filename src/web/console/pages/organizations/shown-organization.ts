/** Organizations as the API shows them, and what a form says of one. */
import { readJsonObject } from '../../core/json-fields.js';
import type { UserMetadata } from '../../core/user.js';

export interface ShownOrganization {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly logo_url: string | null;
  readonly metadata: UserMetadata;
  readonly policies: ShownPolicies;
  /** 0: no limit; null: the setting counts. */
  readonly max_members: number | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** What it demands of the sessions that act for it. */
export interface ShownPolicies {
  readonly require_aal2: boolean;
  readonly require_sso: boolean;
  /** Null: a sign-in of any age. */
  readonly session_hours: number | null;
  /** Empty: all. */
  readonly allowed_domains: readonly string[];
}

export interface ShownMember {
  readonly user: {
    readonly id: string;
    readonly email: string | null;
    readonly phone: string | null;
    readonly name: string | null;
  };
  readonly roles: readonly string[];
  readonly joined_at: string;
  readonly via: Via;
}

/** Of a user. */
export type ShownMembership = ShownOrganization & Pick<ShownMember, 'roles' | 'joined_at' | 'via'>;

export interface ShownRole {
  readonly name: string;
  readonly description: string;
  /** All that it permits. */
  readonly permissions: readonly string[];
  readonly built_in: boolean;
}

export interface RoleList {
  readonly roles: readonly ShownRole[];
  /** Those that the server checks by itself. */
  readonly known_permissions: readonly string[];
}

type Via = 'invitation' | 'domain' | 'sso' | 'scim' | 'admin' | 'creation';

const ways: Readonly<Record<Via, string>> = {
  invitation: 'an invitation',
  domain: 'its domain',
  sso: 'single sign-on',
  scim: 'provisioning',
  admin: 'an administrator',
  creation: 'creating it',
};

/** How a member came: completes "by". */
export const sayVia = (via: string): string => (Object.hasOwn(ways, via) ? ways[via as Via] : via);

export const pathOfOrganization = (id: string): string => `/api/organizations/${encodeURIComponent(id)}`;

/** A member as operators know it; numbers with their plus. */
export const labelOfMember = ({ user: { id, email, phone } }: ShownMember): string =>
  email || (phone ? `+${phone}` : id);

export const sayLimit = (max: number | null): string =>
  max === null ? 'as the setting says' : max === 0 ? 'no limit' : max.toLocaleString('en');

const textOf = (metadata: UserMetadata): string => JSON.stringify(metadata, null, 2);

/** What the form of an organization begins with; undefined: that of a new one. */
export const formTextsOf = (organization: ShownOrganization | undefined) => ({
  name: organization?.name ?? '',
  slug: organization?.slug ?? '',
  logo_url: organization?.logo_url ?? '',
  max_members: organization?.max_members?.toString() ?? '',
  metadata: textOf(organization?.metadata ?? {}),
});

/**
 * @param former what the form began with: only what has been changed since is sent, so that nothing of another operator is
 *   overwritten
 * @throws ApiFault
 */
export function readOrganizationForm(form: FormData, former: ReturnType<typeof formTextsOf>): Record<string, unknown> {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  const isChanged = (name: keyof typeof former): boolean => text(name) !== former[name].trim();
  return {
    ...(isChanged('name') && { name: text('name') }),
    ...(isChanged('slug') && { slug: text('slug') }),
    ...(isChanged('logo_url') && { logo_url: text('logo_url') }),
    ...(isChanged('max_members') && { max_members: text('max_members') === '' ? -1 : Number(text('max_members')) }),
    ...(isChanged('metadata') && { metadata: readJsonObject(text('metadata'), 'Metadata') }),
  };
}
