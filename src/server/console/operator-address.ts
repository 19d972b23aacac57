import { isOneAddress } from '../mail/recipient.js';
import type { OperatorIdentity } from './operator.js';

/** @returns the name of an operator whose name is an address; null: it is none */
export const addressOf = ({ name }: Pick<OperatorIdentity, 'name'>): string | null =>
  isOneAddress(name) ? name : null;
