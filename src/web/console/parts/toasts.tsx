import { dismissToast, toasts } from '../core/state.js';
import { Icon } from './icon.js';

/** Short messages; the region is always there, so that screen readers notice what comes into it. */
export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {toasts.value.map(({ id, text, isFault }) => (
      <div key={id} class={isFault ? 'toast fault' : 'toast'}>
        <span>{text}</span>
        <button type="button" class="icon-only" aria-label="Dismiss" onClick={() => dismissToast(id)}>
          <Icon name="close" />
        </button>
      </div>
    ))}
  </div>
);
