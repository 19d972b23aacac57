/** Asks the chain whether a contract takes a signature for its own (EIP-1271, ERC-6492). */
import { apiError } from '../errors.js';
import { callOut, OutboundError } from '../outbound/outbound.js';
import type { App, Client } from '../runtime/app.js';
import { planContractCall } from './contract-calls.js';

const TOTAL_SECONDS = 5;
const MAX_BYTES = 65_536;
/** Anyone can cause a call. More at the same time are refused. */
const MAX_CALLS = 32;
let running = 0;

export interface ContractQuestion {
  /** The server that is asked. */
  readonly url: string;
  /** Lower case, with 0x. */
  readonly address: string;
  /** 32 bytes, hex. */
  readonly hash: string;
  /** Hex. */
  readonly signature: string;
}

/**
 * @returns false also where the address is no contract
 * @throws ApiError walletNetworkUnavailable
 */
export async function isSignedByContract(
  app: Pick<App, 'config' | 'log'>,
  { requestId }: Pick<Client, 'requestId'>,
  { url, address, hash, signature }: ContractQuestion,
): Promise<boolean> {
  const call = planContractCall(address, hash, signature);
  if (call === null) return false;
  const refuse = (reason: string): never => {
    app.log.warn({ component: 'wallets', request_id: requestId, reason }, 'A contract wallet could not be asked');
    throw apiError('walletNetworkUnavailable', {}, { retryAfterSeconds: 1 });
  };
  if (running >= MAX_CALLS) return refuse('busy');
  running += 1;
  try {
    const params = [{ to: call.to, data: call.data }, 'latest'];
    const { status, text } = await callOut({
      url,
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params }),
      totalSeconds: TOTAL_SECONDS,
      maxAnswerBytes: MAX_BYTES,
      privateHosts: app.config.outboundPrivateHosts,
    });
    if (status !== 200) return refuse(`status ${status}`);
    const answer = readAnswer(text);
    return answer === null ? refuse('unreadable') : call.isValid(answer);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return refuse(error.fault);
  } finally {
    running -= 1;
  }
}

/** @returns 0x and hex, empty for a contract that reverted; null for what is no answer of JSON-RPC to our call */
function readAnswer(text: string): string | null {
  let answer: { jsonrpc?: unknown; id?: unknown; result?: unknown; error?: { code?: unknown } } | null;
  try {
    answer = JSON.parse(text) as typeof answer;
  } catch {
    return null;
  }
  if (typeof answer !== 'object' || answer?.jsonrpc !== '2.0' || answer.id !== 1) return null;
  // EIP-1474: execution reverted. Some servers say -32000 for it.
  if (answer.error?.code === 3 || answer.error?.code === -32000) return '0x';
  const { result } = answer;
  return typeof result === 'string' && /^0x(?:[0-9a-f]{2})*$/i.test(result) ? result.toLowerCase() : null;
}
