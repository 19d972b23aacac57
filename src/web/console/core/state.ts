/** What all parts of the console know: who is signed in, whether a confirmation is wanted, short messages. */
import { signal } from '@preact/signals';

/** Each has the rights of those before it. */
export const roles = ['viewer', 'support', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

export interface Operator {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

/** Undefined: not asked yet; null: nobody is signed in. */
export const operator = signal<Operator | null | undefined>(undefined);

/** Whether the operator who is signed in may do what asks for a role. */
export const may = (role: Role): boolean =>
  operator.value != null && roles.indexOf(operator.value.role) >= roles.indexOf(role);

/** Whether the last request was answered. */
export const isReachable = signal(true);

/** A request waits for the operator to confirm; `done` says whether that happened. */
export interface StepUp {
  readonly done: (isConfirmed: boolean) => void;
}
export const askedStepUp = signal<StepUp | null>(null);

let waiting: Promise<boolean> | null = null;

/** Asks the operator to confirm. Requests that come meanwhile share the question. */
export function askStepUp(): Promise<boolean> {
  waiting ??= new Promise<boolean>((resolve) => {
    const done = (isConfirmed: boolean) => {
      askedStepUp.value = null;
      waiting = null;
      resolve(isConfirmed);
    };
    askedStepUp.value = { done };
  });
  return waiting;
}

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isFault: boolean;
}
export const toasts = signal<readonly Toast[]>([]);
const TOAST_MS = 6000;
let lastToast = 0;

/** Shows a short message, which screen readers read aloud. */
export function toast(text: string, isFault = false): void {
  const id = ++lastToast;
  toasts.value = [...toasts.value.slice(-2), { id, text, isFault }];
  setTimeout(() => dismissToast(id), TOAST_MS);
}

export function dismissToast(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id);
}

/** What the keys open over the page. */
export const overlay = signal<'palette' | 'help' | null>(null);
