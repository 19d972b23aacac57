/** The call that all gateways share: a form as the request, a JSON object as the response. */
import { callOut, OutboundError } from '../outbound/outbound.js';
import { SmsSendError } from './contract.js';

/** REL-12. */
export const SEND_SECONDS = 6;

export interface GatewayForm {
  readonly url: string;
  readonly authorization?: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface GatewayAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each gateway reads its own members, with ?. throughout.
  readonly body: any;
}

/**
 * Posts a form with its fields sorted by name, as supabase/auth does.
 * @param totalSeconds at most {@link SEND_SECONDS}
 * @throws SmsSendError without a response that can be read
 */
export async function postForm(form: GatewayForm, totalSeconds: number): Promise<GatewayAnswer> {
  const fields = new URLSearchParams({ ...form.fields });
  fields.sort();
  const { status, text } = await callOut({
    url: form.url,
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      Accept: 'application/json',
      ...(form.authorization !== undefined && { Authorization: form.authorization }),
    },
    body: fields.toString(),
    totalSeconds: Math.min(totalSeconds, SEND_SECONDS),
  }).catch((error: unknown) => {
    if (!(error instanceof OutboundError)) throw error;
    throw new SmsSendError(describe(error), error.wasSent, { cause: error });
  });
  // 408, 502 and 504 may come from a proxy, which does not know the outcome.
  if (status === 408 || status === 502 || status === 504) {
    throw new SmsSendError(`the gateway answered with status ${status}`, true);
  }
  try {
    const body: unknown = JSON.parse(text);
    if (body !== null && typeof body === 'object') return { status, body };
  } catch {
    // Below.
  }
  throw new SmsSendError(`the gateway answered with status ${status} and no JSON object`, isGood(status));
}

export const isGood = (status: number): boolean => status >= 200 && status < 300;

/** 400 and 422 concern one message; other statuses concern the account, the load or the gateway. */
export const isAboutMessage = (status: number): boolean => status === 400 || status === 422;

function describe({ fault }: OutboundError): string {
  if (fault === 'timeout') return 'the gateway did not answer in time';
  if (fault === 'cut') return 'the gateway closed the connection before its answer was complete';
  if (fault === 'tooLarge') return 'the answer of the gateway is too large';
  if (fault === 'address') return 'the address of the gateway must begin with https://';
  return 'the gateway cannot be reached';
}
