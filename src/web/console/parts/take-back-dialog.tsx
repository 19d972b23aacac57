/** Takes back what a user has allowed an OAuth client: from the page of either. */
import { send } from '../core/api.js';
import { toast } from '../core/state.js';
import { DeedDialog } from './dialog.js';

interface TakeBackProps {
  readonly title: string;
  readonly userId: string;
  readonly clientId: string;
  readonly reload: () => Promise<void>;
  readonly onClose: () => void;
}

export const TakeBackDialog = ({ title, userId, clientId, reload, onClose }: TakeBackProps) => (
  <DeedDialog
    title={title}
    verb="Take back"
    isDanger
    onClose={onClose}
    run={async ({ reason }) => {
      await send('DELETE', `/api/users/${userId}/grants/${clientId}`, { body: { reason } });
      toast('Taken back');
      await reload();
    }}
  >
    <p>The sessions of the client for this user end. It may ask the user again.</p>
  </DeedDialog>
);
