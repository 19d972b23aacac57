/** An authenticator app (RFC 6238), written apart from the server's own code so that both check each other. */
import { createHmac } from 'node:crypto';
import type { TestServer } from './server.js';

const STEP_SECONDS = 30;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function decodeBase32(text: string): Buffer {
  let [bits, value] = [0, 0];
  const bytes: number[] = [];
  for (const character of text) {
    value = ((value << 5) | ALPHABET.indexOf(character)) & 0xffff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((value >>> bits) & 0xff);
    }
  }
  return Buffer.from(bytes);
}

/** @returns the code of six digits. @param stepsLater steps from now */
export const codeOf = (secret: string, stepsLater = 0): string => codeAt(secret, stepNow() + stepsLater);

const stepNow = (): number => Math.floor(Date.now() / 1000 / STEP_SECONDS);

function codeAt(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', decodeBase32(secret)).update(counter).digest();
  const offset = mac[19]! & 0xf;
  return String((mac.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0');
}

/** Codes of an app in the order of their steps, each once, for servers with MFA_TOTP_SKEW=2, as tests open them. */
export function openApp(secret: string): { nextCode(): string } {
  let later = -1;
  return { nextCode: () => codeOf(secret, later++) };
}

/** What a code may take to its check: the one of the step before this one is not used at the end of this one. */
const PATIENCE_SECONDS = 8;

/**
 * The same for the console, which accepts one step more or less. Blocks until the next step begins where a code would be too
 * early: the third of an app that began late in a step.
 */
export function openOperatorApp(secret: string): { nextCode(): string } {
  let last = 0;
  return {
    nextCode() {
      const passed = (Date.now() / 1000) % STEP_SECONDS;
      last = Math.max(last + 1, passed > STEP_SECONDS - PATIENCE_SECONDS ? stepNow() : stepNow() - 1);
      if (last > stepNow() + 1)
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, (STEP_SECONDS - passed) * 1000);
      return codeAt(secret, last);
    },
  };
}

export interface Session {
  readonly access_token: string;
  readonly refresh_token: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on its members.
  readonly user: any;
}

/** Enrols a TOTP factor in a session. */
export async function enrolTotp({ call }: TestServer, session: Session, body: object = {}) {
  const answer = await call('POST', '/factors', {
    bearer: session.access_token,
    body: { factor_type: 'totp', friendly_name: 'phone app', ...body },
  });
  return { ...answer, id: answer.body.id as string, secret: answer.body.totp?.secret as string };
}

/** Opens a challenge and answers it. */
export async function verifyWith({ call }: TestServer, session: Session, factorId: string, code: string) {
  const bearer = session.access_token;
  const challenge = await call('POST', `/factors/${factorId}/challenge`, { bearer });
  if (challenge.status !== 200) return challenge;
  return call('POST', `/factors/${factorId}/verify`, { bearer, body: { challenge_id: challenge.body.id, code } });
}

/** Claims of an access token, unverified. */
export const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;
