/** What the server of a provider shows besides: its certificate and its clock. */
import { DATE_RESOLUTION_SECONDS, measureClock, readDateHeader } from '../outbound/clock-offset.js';
import { callOut } from '../outbound/outbound.js';
import type { DiscoverySource } from './discovery.js';
import type { Finding } from './stored/contract.js';

const DAY_MS = 86_400_000;
/** Most authorities renew with 30 days left. */
const RENEWAL_DAYS = 14;
/** ID tokens live for minutes: an hour at Google, five minutes at Keycloak. */
const NEAR_SECONDS = 10;
/** As NOT_BEFORE_LEEWAY_SECONDS of id-token.ts: those of a clock that is further ahead are refused. */
const FAR_SECONDS = 300;

/** @returns nothing where the server does not answer, which other findings say */
export async function probeServer(url: string, { privateHosts }: DiscoverySource): Promise<readonly Finding[]> {
  const { host } = new URL(url);
  let endsMs: number | undefined;
  try {
    const { seconds, uncertainSeconds } = await measureClock(async () => {
      const answer = await callOut({ url, privateHosts, followsRedirects: false, readsCertificate: true });
      endsMs = answer.certificateEndsMs;
      return readDateHeader(answer.headers);
    }, DATE_RESOLUTION_SECONDS);
    const awaySeconds = Math.max(0, Math.abs(seconds) - uncertainSeconds);
    return [...judgeCertificate(host, endsMs), judgeClock(host, seconds, awaySeconds)];
  } catch {
    return judgeCertificate(host, endsMs);
  }
}

function judgeCertificate(host: string, endsMs: number | undefined): Finding[] {
  if (endsMs === undefined || Number.isNaN(endsMs)) return [];
  const days = Math.floor((endsMs - Date.now()) / DAY_MS);
  const text = `The certificate of ${host} is trusted, and valid for ${days} more days.`;
  return [
    days > RENEWAL_DAYS
      ? { kind: 'fine', text }
      : { kind: 'hint', text: `${text} Whoever runs it should renew it: nobody can sign in after that.` },
  ];
}

function judgeClock(host: string, seconds: number, awaySeconds: number): Finding {
  if (awaySeconds <= NEAR_SECONDS)
    return { kind: 'fine', text: `The clock of ${host} agrees with that of this machine.` };
  const text = `The clock of ${host} is ${Math.round(Math.abs(seconds))} s ${seconds > 0 ? 'ahead of' : 'behind'} that of this machine`;
  return awaySeconds > FAR_SECONDS
    ? { kind: 'wrong', text: `${text}: ID tokens count as expired, or as not yet valid. Let NTP set the clocks.` }
    : {
        kind: 'hint',
        text: `${text}: ID tokens that live for a short time may count as expired. Let NTP set the clocks.`,
      };
}
