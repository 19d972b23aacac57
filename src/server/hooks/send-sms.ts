import type { SendSms } from './contract.js';
import { deliverBy } from './delivery.js';
import type { HookCaller } from './hook-caller.js';

/** The hook send_sms, in place of a gateway. */
export function openSendSms(caller: HookCaller): SendSms {
  return {
    deliver: (phone, otp, user, ip, type) => {
      const sms = { otp, phone, ...(type !== undefined && { sms_type: type }) };
      return deliverBy(caller, { user, sms }, ip);
    },
  };
}
