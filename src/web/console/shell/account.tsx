import { asFault } from '../core/api.js';
import { theme, themes } from '../core/preferences.js';
import { signOutOperator } from '../core/session.js';
import { type Operator, toast } from '../core/state.js';
import { Icon } from '../parts/icon.js';

/** Who is signed in, how the console looks here, and the way out. */
export function Account({ operator }: { readonly operator: Operator }) {
  const leave = () => signOutOperator().catch((error: unknown) => toast(asFault(error).message, true));
  return (
    <div class="account">
      <a href="/me" class="who" title={operator.name}>
        <Icon name="person" />
        <span>
          <strong>{operator.name}</strong> <small>{operator.role}</small>
        </span>
      </a>
      <label class="theme">
        <span class="hidden">Theme</span>
        <select value={theme.value} onChange={(event) => setTheme(event.currentTarget.value)}>
          <option value="system">System</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
      <button type="button" class="plain" onClick={() => void leave()}>
        Sign out
      </button>
    </div>
  );
}

function setTheme(value: string): void {
  theme.value = themes.find((one) => one === value) ?? 'system';
}
