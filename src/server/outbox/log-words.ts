/** What the log says about messages of the outbox. */
import type { ClaimedMessage, OutboxChannel } from '../../db/outbox.js';
import type { OutboxStats } from './contract.js';
import { nameOfStoredKind } from './stored-kind.js';

type Row = Pick<ClaimedMessage, 'id' | 'kind'>;

interface Words {
  readonly component: string;
  readonly unreadable: string;
  readonly isRetried: string;
  readonly unsettled: string;
  readonly unnoted: string;
  readonly unopened: string;
  readonly givenUp: Readonly<Record<keyof OutboxStats['failed'], string>>;
  about(row: Row): Readonly<Record<string, string>>;
}

const wordsOf = (name: 'mail' | 'text', component: string, about: (row: Row) => Record<string, string>): Words => ({
  component,
  unreadable: `The outbox cannot be read: ${name}s wait in it`,
  isRetried: `A ${name} could not be sent and is tried again`,
  unsettled: `The state of a ${name} could not be written down`,
  unnoted: `A failed ${name} was not noted`,
  unopened: `The ${name} was sealed with another AUTH_JWT_SECRET`,
  givenUp: {
    refused: `A ${name} was refused and is given up`,
    expired: `A ${name} could not be sent while its code was valid and is given up`,
    unknown: `Whether a ${name} arrived is unknown; it is not sent again, the person may ask for another`,
  },
  about: (row) => ({ component, ...about(row) }),
});

export const outboxWords: Readonly<Record<OutboxChannel, Words>> = {
  mail: wordsOf('mail', 'mail', ({ id, kind }) => ({ mail_id: id, mail_type: kind })),
  text: wordsOf('text', 'sms', ({ id, kind }) => ({ message_id: id, purpose: nameOfStoredKind(kind) })),
};
