/** Lists of refused requests: all of them, and those of a user. */
import { linkToRefusal, nameOfRequest, type RefusedRequest } from '../../core/refusal.js';
import { Note } from '../../parts/alert.js';
import { Badge } from '../../parts/details.js';
import type { Column } from '../../parts/list.js';
import { Time } from '../../parts/time.js';

export const refusalColumns: readonly Column<RefusedRequest>[] = [
  {
    title: 'Request',
    cell: (one) => (
      <a href={linkToRefusal(one)} class="name">
        {nameOfRequest(one)}
      </a>
    ),
  },
  {
    title: 'Refused with',
    cell: ({ error_code, status }) => (
      <>
        <code>{error_code}</code> <Badge tone={status >= 500 ? 'danger' : 'plain'}>{status}</Badge>
      </>
    ),
  },
  { title: 'What did not hold', from: 'medium', cell: ({ failed }) => failed },
  {
    title: 'User',
    from: 'wide',
    cell: ({ user_id }) =>
      user_id === null ? (
        <span class="muted">–</span>
      ) : (
        <a href={`/users/${user_id}`} class="mono clip">
          {user_id}
        </a>
      ),
  },
  { title: 'Address', from: 'wide', cell: ({ ip }) => <span class="mono">{ip ?? '–'}</span> },
  { title: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
];

export const NotRecording = () => (
  <Note tone="warn">
    <p>
      This server records no refusals: <code>AUTH_CONSOLE_RECORDS_ENABLED</code> is off.
    </p>
  </Note>
);
