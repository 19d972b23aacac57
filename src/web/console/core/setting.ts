/** Settings as the API tells them. */
import { may } from './state.js';

export interface ShownSource {
  readonly origin: string;
  readonly name: string;
  readonly label: string;
  /** Of a file, where it is known. */
  readonly line?: number | null;
}

export interface ListedSetting {
  readonly name: string;
  readonly section: string;
  readonly doc: string;
  readonly default: string | null;
  readonly example: string;
  readonly kind: string;
  readonly choices: readonly string[] | null;
  readonly is_secret: boolean;
  /** Administrators may not change it. */
  readonly is_of_owners: boolean;
  /** Its text is not shown. */
  readonly is_hidden: boolean;
  readonly needs_restart: boolean;
  readonly is_set: boolean;
  readonly value?: unknown;
  readonly fingerprint?: string;
  /** As its source has it; null: hidden, or the default. */
  readonly text: string | null;
  readonly source: ShownSource | null;
  readonly pending: 'reload' | 'restart' | null;
  /** The console may set it. */
  readonly storable: boolean;
  /** The database sets it. */
  readonly stored: boolean;
  readonly form: SettingPlace | null;
  /** The address of a page with this setting, where it is not that of the form. */
  readonly page?: string;
}

export interface SettingPlace {
  readonly form: string;
  readonly tab: string;
  readonly group: string;
  readonly label: string;
  readonly order: number;
}

export interface SettingGroup {
  readonly tab: string;
  readonly title: string;
  readonly about: string | null;
  readonly is_folded: boolean;
}

/** A place outside of the database sets it: a change here would do nothing. */
export const isLocked = ({ storable, source }: Pick<ListedSetting, 'storable' | 'source'>): boolean =>
  storable && (source?.origin === 'environment' || source?.origin === 'file');

/** As `.env, line 12`. */
export const sayPlace = ({ label, line, name }: ShownSource): string =>
  `${name.endsWith('_FILE') ? `a file that ${label} names` : label}${line ? `, line ${line}` : ''}`;

/** Whether the operator's role allows a change. */
export const mayChange = ({ is_of_owners }: Pick<ListedSetting, 'is_of_owners'>): boolean =>
  may('owner') || (may('admin') && !is_of_owners);

/** Where the forms are. */
const pages: Readonly<Record<string, string>> = {
  'sign-in': '/sign-in-rules',
  addresses: '/redirects?tab=settings',
  limits: '/limits?tab=settings',
  sms: '/sms',
  hooks: '/hooks?tab=settings',
  'oauth-server': '/oauth-server',
  mail: '/mail?tab=settings',
  look: '/look',
  upkeep: '/upkeep',
  providers: '/providers?tab=settings',
};

/** @returns null: no page has its form */
export function linkToForm({ name, form, page: own }: Pick<ListedSetting, 'name' | 'form' | 'page'>): string | null {
  const kind = /^AUTH_MAILER_CONTENTS_(.*)$/.exec(name)?.[1];
  if (kind !== undefined) return `/mail?tab=templates&kind=${kind.toLowerCase()}`;
  const page = own ?? pages[form?.form ?? ''];
  if (page === undefined || form == null) return null;
  const [path = '', query] = page.split('?');
  const parameters = new URLSearchParams(query);
  if (form.tab !== '') parameters.set('tab', idOfTab(form.tab));
  parameters.set('setting', name);
  return `${path}?${parameters}`;
}

/** `Second factors` is `second-factors` in the address. */
export const idOfTab = (title: string): string => title.toLowerCase().replaceAll(' ', '-');
