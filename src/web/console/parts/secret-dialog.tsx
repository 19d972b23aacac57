/** A secret that is shown once. */
import type { ComponentChildren } from 'preact';
import { Note } from './alert.js';
import { Copy } from './details.js';
import { Dialog } from './dialog.js';

interface SecretProps {
  readonly title: string;
  readonly secret: string;
  /** What it is, for the name of the button that copies it. */
  readonly what: string;
  /** What to do with it. */
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  /** Buttons before the one that closes it. */
  readonly actions?: ComponentChildren;
}

export const SecretDialog = ({ title, secret, what, children, onClose, actions }: SecretProps) => (
  <Dialog title={title} onClose={onClose}>
    <div class="stack">
      <Note tone="warn">
        <p>It is shown only now. Nothing shows it again.</p>
      </Note>
      <Copy text={secret} what={what} />
      {children}
      <div class="actions">
        {actions}
        <button type="button" onClick={onClose}>
          Done
        </button>
      </div>
    </div>
  </Dialog>
);
