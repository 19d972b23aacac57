import type { ComponentChildren } from 'preact';
import type { ApiFault } from '../core/api.js';
import { Icon } from './icon.js';

interface AlertProps {
  readonly fault: Pick<ApiFault, 'message' | 'errorId'>;
  /** Such as a button to try again. */
  readonly children?: ComponentChildren;
}

/** Says what went wrong, with the id under which the log has it. */
export const Alert = ({ fault, children }: AlertProps) => (
  <div class="alert error" role="alert">
    <Icon name="alert" />
    <div>
      <p>{fault.message}</p>
      {fault.errorId !== null && (
        <p class="small">
          error_id <code>{fault.errorId}</code>
        </p>
      )}
      {children}
    </div>
  </div>
);

type Tone = 'info' | 'warn' | 'ok';

export const Note = ({ tone = 'info', children }: { readonly tone?: Tone; readonly children: ComponentChildren }) => (
  <div class={`alert ${tone}`}>
    <div>{children}</div>
  </div>
);
