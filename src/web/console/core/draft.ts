/**
 * Changes of settings that are not applied yet: one draft for all forms, which survives a reload of the page. Secrets do
 * not: they are kept in memory alone.
 */
import { computed, effect, signal } from '@preact/signals';
import { ApiFault, send } from './api.js';
import { type ListedSetting, linkToForm } from './setting.js';
import { operator } from './state.js';

export interface DraftChange {
  /** In the syntax of the environment; null: back to the default. */
  readonly text: string | null;
  readonly label: string;
  /** Of the form that has it. */
  readonly href: string | null;
  /** Not shown, not stored. */
  readonly isSecret: boolean;
}

export interface ChangeFault {
  readonly name: string;
  /** To be read after the name. */
  readonly problem: string;
  readonly example?: string;
}

/** What was tried outside, such as a dialogue with the mail server. */
export interface Trial {
  readonly check: string;
  readonly name: string;
  readonly is_good: boolean;
  readonly stage?: string | null;
  readonly detail: string;
}

export interface Conflict {
  readonly name: string;
  /** Null: they have put it back to its default. */
  readonly theirs: string | null;
  /** Of the set that has it. */
  readonly version: number;
  readonly by: string;
  readonly at: string;
}

interface Draft {
  readonly operatorId: string | undefined;
  /** The stored set that the forms showed when the draft began. */
  readonly baseVersion: number;
  readonly changes: Readonly<Record<string, DraftChange>>;
  /** Secrets that were typed before the page was loaded again. */
  readonly lost: readonly string[];
}

/** What the server says about the draft; it holds until the draft changes. */
interface Verdict {
  readonly faults: readonly ChangeFault[];
  readonly tried: readonly Trial[];
}

const KEY = 'settings-draft';
const nothing: Draft = { operatorId: undefined, baseVersion: 0, changes: {}, lost: [] };

const draft = signal<Draft>(read());
export const verdict = signal<Verdict | null>(null);
export const conflicts = signal<readonly Conflict[]>([]);
/** The last version that was applied from here: forms read the settings anew. */
export const appliedVersion = signal(0);

export const changes = computed(() => draft.value.changes);
export const lostSecrets = computed(() => draft.value.lost);
export const changeCount = computed(() => Object.keys(draft.value.changes).length);

/** Why the server refuses the change of a setting. */
export const faultOf = (name: string): ChangeFault | undefined =>
  verdict.value?.faults.find((fault) => fault.name === name);

function read(): Draft {
  try {
    const stored = sessionStorage.getItem(KEY);
    return stored === null ? nothing : { ...nothing, ...(JSON.parse(stored) as Partial<Draft>) };
  } catch {
    return nothing;
  }
}

const withoutSecrets = ({ changes: all, lost, ...rest }: Draft): Draft => {
  const secrets = Object.keys(all).filter((name) => all[name]!.isSecret && all[name]!.text !== null);
  return {
    ...rest,
    changes: Object.fromEntries(Object.entries(all).filter(([name]) => !secrets.includes(name))),
    lost: [...new Set([...lost, ...secrets])],
  };
};

effect(() => {
  try {
    const kept = withoutSecrets(draft.value);
    if (Object.keys(kept.changes).length === 0 && kept.lost.length === 0) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // Private windows may have no storage: the draft lives until the page is loaded again.
  }
});

// Another operator signs in, or the session is over.
effect(() => {
  const id = operator.value?.id;
  const now = draft.peek();
  if (id !== undefined && now.operatorId !== undefined && now.operatorId !== id) discardDraft();
  if (operator.value === null) draft.value = withoutSecrets(now);
});

function put(next: Draft): void {
  draft.value = next;
  verdict.value = null;
}

/**
 * Takes a change into the draft.
 * @param version of the stored set that the form shows. @param text null: back to the default
 */
export function changeSetting(setting: ListedSetting, version: number, text: string | null): void {
  const { name, form, is_hidden } = setting;
  const now = draft.value;
  const isFirst = Object.keys(now.changes).length === 0;
  put({
    operatorId: operator.value?.id,
    baseVersion: isFirst ? version : Math.min(now.baseVersion, version),
    changes: {
      ...now.changes,
      [name]: { text, label: form?.label ?? name, href: linkToForm(setting), isSecret: is_hidden },
    },
    lost: now.lost.filter((one) => one !== name),
  });
}

/** The setting stays as it is, also where another operator has changed it meanwhile. */
export function undoChange(name: string): void {
  const { [name]: _, ...rest } = draft.value.changes;
  put({ ...draft.value, changes: rest, lost: draft.value.lost.filter((one) => one !== name) });
  settleConflict(name);
}

/** Nothing is changed. */
export function discardDraft(): void {
  put(nothing);
  conflicts.value = [];
}

/** All mails in several languages, or a logo, would fill the page. */
const MOST_SHOWN = 200;

/** The text of a change for people. */
export function shortText(text: string): string {
  const [, type, base64] = /^data:(image\/[\w.+-]+);base64,(.*)$/s.exec(text) ?? [];
  if (type !== undefined) return `${type}, ${Math.floor((base64!.replace(/=+$/, '').length * 3) / 4)} bytes`;
  return text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN)}… (${text.length} characters)`;
}

/** Changes as the API takes them. */
export const textsOf = (all: Draft['changes']): Readonly<Record<string, string | null>> =>
  Object.fromEntries(Object.entries(all).map(([name, { text }]) => [name, text]));

const bodyOf = ({ baseVersion, changes: all }: Draft) => ({ base_version: baseVersion, changes: textsOf(all) });

/** Has the server judge the draft and try what it calls for. @throws ApiFault */
export async function checkDraft(): Promise<Verdict> {
  const asked = draft.value;
  const { data } = await send<Verdict>('POST', '/api/config/check', { body: bodyOf(asked) });
  if (draft.value === asked) verdict.value = data;
  return data;
}

/**
 * Stores the draft, all of it or nothing.
 * @param isForced although what was tried outside did not work
 * @returns the new version; null: it was refused, and `verdict` or `conflicts` say why
 * @throws ApiFault
 */
export async function applyDraft(comment: string | undefined, isForced: boolean): Promise<number | null> {
  const body = { ...bodyOf(draft.value), ...(comment && { comment }), ...(isForced && { force: true }) };
  try {
    const { data } = await send<{ version: number }>('POST', '/api/config', { body });
    discardDraft();
    appliedVersion.value = data.version;
    return data.version;
  } catch (error) {
    if (!(error instanceof ApiFault)) throw error;
    const said = (error.body ?? {}) as Partial<Verdict> & { readonly conflicts?: readonly Conflict[] };
    if (error.status === 409 && said.conflicts !== undefined) {
      conflicts.value = said.conflicts;
      return null;
    }
    if (error.status !== 422 || said.faults === undefined) throw error;
    verdict.value = { faults: said.faults, tried: said.tried ?? [] };
    return null;
  }
}

/** What another operator has set meanwhile is replaced by the own change. */
export const keepOwn = (name: string): void => settleConflict(name);

/** The newest set among the conflicts that are settled. */
let settledVersion = 0;

/**
 * After the last one the draft is meant for the newest set that was shown: what is changed after that is a conflict again.
 */
function settleConflict(name: string): void {
  const found = conflicts.value.find((one) => one.name === name);
  if (found === undefined) return;
  settledVersion = Math.max(settledVersion, found.version);
  conflicts.value = conflicts.value.filter((one) => one !== found);
  if (conflicts.value.length > 0) return;
  draft.value = { ...draft.value, baseVersion: Math.max(draft.value.baseVersion, settledVersion) };
  settledVersion = 0;
}
