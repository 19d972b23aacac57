import type { HookText, SendSms } from './contract.js';
import { deliverBy } from './delivery.js';
import type { HookCaller } from './hook-caller.js';

/** The hook send_sms, in place of a gateway. */
export function openSendSms(caller: HookCaller): SendSms {
  return {
    deliver: (text, user, ip, id) => deliverBy(caller, { user, sms: smsDataOf(text) }, ip, id),
  };
}

const smsDataOf = ({ phone, otp, type, message }: HookText): Record<string, string> => ({
  otp,
  phone,
  ...(type !== undefined && { sms_type: type }),
  ...(message !== undefined && { message }),
});
