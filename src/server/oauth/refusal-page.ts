/** The address of the page that links to a client whose address nobody has checked (RFC 9700 4.11.2). */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { App } from '../runtime/app.js';

/** Both are part of a URL, which has to fit into a header. */
const MAX_ANSWER = 4096;

const prove = (key: Parameters<typeof createHmac>[1], to: string): Buffer =>
  createHmac('sha256', key).update(`refused ${to}`).digest();

/**
 * @param answer the address of the client, with the error
 * @returns the address of the page; null: there are no pages, or the answer is too long for one
 */
export function refusalPage({ config, keys }: Pick<App, 'config' | 'keys'>, answer: string): string | null {
  if (!config.pagesEnabled || answer.length > MAX_ANSWER) return null;
  const proof = prove(keys.flow.current, answer).toString('base64url');
  return `${config.apiExternalUrl.replace(/\/+$/, '')}/ui/refused?${new URLSearchParams({ to: answer, proof })}`;
}

/** @returns the address of the client; null for a link that this server has not made */
export function readRefusal({ keys }: Pick<App, 'keys'>, query: ReadonlyMap<'to' | 'proof', string>): string | null {
  const [to = '', proof = ''] = [query.get('to'), query.get('proof')];
  const given = Buffer.from(proof, 'base64url');
  const isOurs = keys.flow.accepted(Date.now()).some((key) => {
    const expected = prove(key, to);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isOurs ? to : null;
}
