/** What an operator chose for this browser. */
import { effect, signal } from '@preact/signals';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** Private windows may have no storage. */
function readStored(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function store(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // It holds until the page is closed.
  }
}

const stored = readStored('theme');
export const theme = signal<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system');
/** Single-key shortcuts can be switched off (WCAG 2.2, 2.1.4). */
export const hasShortcuts = signal(readStored('shortcuts') !== 'off');

/** Applies the choices, now and when they change. */
export function startPreferences(): void {
  effect(() => {
    document.documentElement.dataset['theme'] = theme.value;
    store('theme', theme.value);
  });
  effect(() => store('shortcuts', hasShortcuts.value ? 'on' : 'off'));
}
