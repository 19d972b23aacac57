import type { Channel } from '../../db/users.js';
import type { Log } from '../telemetry/log.js';

/** A code that is to reach a person. */
export interface Delivery {
  readonly channel: Channel;
  /** What the code is for: confirmation, email_change, phone_change … */
  readonly purpose: string;
  readonly recipient: string;
  readonly userId: string;
  readonly code: string;
  /** Token of the link; null where the channel carries no link. */
  readonly linkToken: string | null;
}

export interface Courier {
  deliver(delivery: Delivery): Promise<void>;
}

/**
 * The courier of a server without a mail server or gateway: says what is missing and which setting cures it, and never
 * what was to be sent (decisions.md 28).
 */
export function silentCourier(log: Log): Courier {
  const cures: Record<Channel, string> = {
    email: 'No mail leaves: set AUTH_SMTP_HOST, or AUTH_MAILER_AUTOCONFIRM=true to confirm addresses without one.',
    phone:
      'No text message leaves: set AUTH_SMS_PROVIDER, or AUTH_SMS_AUTOCONFIRM=true to confirm numbers without one.',
  };
  return {
    async deliver({ channel, purpose, userId }) {
      log.warn({ component: 'courier', channel, purpose, user_id: userId }, cures[channel]);
    },
  };
}
