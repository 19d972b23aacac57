/** The column `kind` of the outbox, which tells texts from mails. */
import type { NoticeKind, TextKind } from '../message-kinds.js';

/** @returns the kind of a stored text, which its column `is_text` reads */
export const storedTextKind = (kind: TextKind | NoticeKind): string => `text:${kind}`;

/** @returns the kind of a stored mail or text, for logs and operators */
export const nameOfStoredKind = (stored: string): string => stored.replace(/^text:/, '');
