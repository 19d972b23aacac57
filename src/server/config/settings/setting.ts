import type { TokenKey } from '../../../jws/jwk.js';
import type { Bounds, DurationRules, Rate, UrlRules } from '../parse.js';
import type { HookSecret, HookUri } from '../parse-hooks.js';
import type { IdTokenIssuer } from '../parse-issuers.js';
import type { MailContents } from '../parse-mail-contents.js';

/** What each kind of setting becomes. Plain data only: the configuration is cloned into other threads. */
export interface ValueOfKind {
  bool: boolean;
  int: number;
  float: number;
  /** Seconds. */
  duration: number;
  text: string;
  url: string;
  postgresUrl: string;
  list: readonly string[];
  issuers: readonly IdTokenIssuer[];
  domains: Readonly<Record<string, string>>;
  map: Readonly<Record<string, string>>;
  characterSets: readonly string[];
  rate: Rate;
  /** RFC 3339, as written. */
  time: string;
  headers: Readonly<Record<string, readonly string[]>>;
  /** A data URL, or ''. */
  image: string;
  mailContents: MailContents;
  choice: string;
  tokenKeys: readonly TokenKey[];
  hookUri: HookUri;
  hookSecrets: readonly HookSecret[];
}

type Kind =
  | {
      readonly kind:
        | 'bool'
        | 'postgresUrl'
        | 'list'
        | 'issuers'
        | 'domains'
        | 'map'
        | 'characterSets'
        | 'rate'
        | 'time'
        | 'headers'
        | 'image'
        | 'mailContents'
        | 'tokenKeys'
        | 'hookUri'
        | 'hookSecrets';
    }
  | ({ readonly kind: 'int' | 'float' } & Bounds)
  | ({ readonly kind: 'duration' } & DurationRules)
  | ({ readonly kind: 'url' } & UrlRules)
  | { readonly kind: 'text'; readonly pattern?: RegExp; readonly patternInWords?: string }
  | {
      readonly kind: 'choice';
      readonly choices: readonly string[];
      readonly synonyms?: Readonly<Record<string, string>>;
    };

/** Either required, or with a default: text in the syntax of the kind, or null where unset has a meaning of its own. */
type Presence =
  | { readonly required: true; readonly default?: never }
  | { readonly required?: never; readonly default: string | null };

/** One row of the table. */
export type Setting = Kind &
  Presence & {
    /** Name without the prefix AUTH_. */
    readonly variable: string;
    /** One sentence for operators. */
    readonly doc: string;
    readonly example: string;
    /** Never printed; may be read from a file named by the variable with _FILE appended. */
    readonly secret?: true;
    /** Names without prefix that are read before AUTH_<variable>. */
    readonly unprefixed?: readonly string[];
    /** Full names read after AUTH_<variable> and before GOTRUE_<variable>. */
    readonly aliases?: readonly string[];
    /**
     * A part that lives as long as its thread reads it, so a reload cannot change it. Other rows are only read by parts
     * that each reload makes anew: see `LastingConfig`.
     */
    readonly restart?: true;
    /** Why the database never has it although a reload changes it. Rows with `restart` are never there either. */
    readonly notStored?: string;
    /**
     * Only owners change it in the console, as they do secrets and hooks: it would give administrators what they may not have. So each
     * address that the server calls: a secret may go there, and an answer, or the stage without one, tells of the server's own network.
     */
    readonly ofOwners?: true;
    /** Why not to set it; logged at boot when it is set. */
    readonly deprecated?: string;
  };

/** Reasons of {@link Setting.notStored} that several rows share. */
export const KEPT_APART = 'it opens what the database has sealed, and is kept apart from it';
export const NAMES_FILE = 'it names a file of the machine';

export type Section = Readonly<Record<string, Setting>>;

export type ValueOf<S> =
  | (S extends { kind: 'choice'; choices: readonly (infer Choice)[] }
      ? Choice
      : S extends { kind: infer K extends keyof ValueOfKind }
        ? ValueOfKind[K]
        : never)
  | (S extends { default: null } ? null : never);

/** Made once: each reading of the configuration asks for all of them. */
const madeNames = new WeakMap<Setting, readonly string[]>();

/** The environment names of a setting; the first one that is set wins (docs/decisions.md, Names of settings). */
export function namesOf(setting: Setting): readonly string[] {
  const made = madeNames.get(setting);
  if (made !== undefined) return made;
  const names = [
    ...(setting.unprefixed ?? []),
    `AUTH_${setting.variable}`,
    ...(setting.aliases ?? []),
    `GOTRUE_${setting.variable}`,
  ];
  madeNames.set(setting, names);
  return names;
}

/** The name to show to operators. */
export function mainNameOf(setting: Setting): string {
  return setting.unprefixed?.[0] ?? `AUTH_${setting.variable}`;
}
