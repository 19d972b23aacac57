import type { UserRow } from '../../db/user-rows.js';

export const hasVerifiedFactor = ({ factors }: Readonly<Pick<UserRow, 'factors'>>): boolean =>
  factors?.some(({ status }) => status === 'verified') ?? false;
