import { createSocket } from 'node:dgram';
import type { Test } from './tap.js';

const NXDOMAIN = 3;
export const SERVFAIL = 2;
const TYPES = { A: 1, MX: 15, TXT: 16 } as const;

const encodeName = (name: string) =>
  Buffer.concat([
    ...name
      .split('.')
      .filter(Boolean)
      .map((part) => Buffer.from([part.length, ...Buffer.from(part)])),
    Buffer.from([0]),
  ]);

/** A long text is several strings of one record. */
const encodeText = (text: string) =>
  Buffer.concat((text.match(/.{1,255}/gs) ?? ['']).map((part) => Buffer.from([part.length, ...Buffer.from(part)])));

export interface DnsEntry {
  readonly mx?: string;
  readonly a?: true;
  readonly txt?: readonly string[];
  readonly code?: number;
  readonly silent?: true;
}

/** Name in lower case → what is there. It may change. */
export type Zone = Record<string, DnsEntry>;

function answersOf({ mx, a, txt }: DnsEntry, type: number): Buffer[] {
  if (type === TYPES.MX && mx !== undefined) return [Buffer.concat([Buffer.from([0, 10]), encodeName(mx)])];
  if (type === TYPES.A && a) return [Buffer.from([192, 0, 2, 1])];
  return type === TYPES.TXT ? (txt ?? []).map(encodeText) : [];
}

/** A DNS server (RFC 1035 4) that knows a few names. @returns its address, with the port */
export async function openDns(t: Test, zone: Zone): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const labels: string[] = [];
    let at = 12;
    for (; query[at] !== 0; at += query[at]! + 1) labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!));
    const question = query.subarray(12, at + 5);
    const type = query.readUInt16BE(at + 1);
    const entry = zone[labels.join('.').toLowerCase()] ?? { code: NXDOMAIN };
    if (entry.silent) return;
    const answers = answersOf(entry, type);
    const code = 0x80 | (entry.code ?? 0);
    const head = Buffer.from([query[0]!, query[1]!, 0x81, code, 0, 1, 0, answers.length, 0, 0, 0, 0]);
    const rows = answers.flatMap((data) => [
      Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, data.length >> 8, data.length & 255]),
      data,
    ]);
    socket.send(Buffer.concat([head, question, ...rows]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  t.teardown(() => socket.close());
  return `127.0.0.1:${socket.address().port}`;
}
