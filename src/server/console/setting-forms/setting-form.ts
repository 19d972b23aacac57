/** What a form of the console holds: tabs, groups, and the settings of each. */

export const formIds = [
  'sign-in',
  'addresses',
  'limits',
  'sms',
  'hooks',
  'oauth-server',
  'mail',
  'look',
  'providers',
  'upkeep',
] as const;
export type FormId = (typeof formIds)[number];

export interface FormGroup {
  readonly title: string;
  /** One sentence above its fields. */
  readonly about?: string;
  /** Labels by variable, without the prefix AUTH_, in the order of the form. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Beginnings of further variables; their labels are made from the rest of the name. The longest that fits wins. */
  readonly beginnings?: readonly string[];
  /** Sections of the table of settings of which it has all that stand nowhere else. */
  readonly sections?: readonly string[];
  /** Rarely needed: folded until something in it is set. */
  readonly isFolded?: true;
}

export interface FormTab {
  readonly title: string;
  readonly groups: readonly FormGroup[];
}

export type Form = readonly FormTab[];

/** A form without tabs. */
export const single = (...groups: readonly FormGroup[]): Form => [{ title: '', groups }];
