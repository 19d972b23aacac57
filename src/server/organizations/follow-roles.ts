/** Keeps the roles that a server thread knows equal to those in the database. */
import { setTimeout as pause } from 'node:timers/promises';
import { lookAgain } from '../../batching/look-again.js';
import { lookInTurn } from '../../batching/look-in-turn.js';
import { watchLookFailures } from '../../db/look-failures.js';
import { readOrganizationRoles } from '../../db/organization-roles.js';
import type { Database } from '../../db/types.js';
import { apiError } from '../errors.js';
import type { Log } from '../telemetry/log.js';
import { makeRoleCatalog, type RoleCatalog } from './role-catalog.js';

export interface FollowedRoles {
  /** @throws ApiError overloaded until the roles have been read once */
  catalog(): RoleCatalog;
  /** Reads the roles now: this thread has changed them. @throws the error of the database */
  look(): Promise<void>;
  close(): void;
}

/** Every process follows a change within 5 s. */
const LOOK_MS = 3500;
const SOON_MS = 500;

/** A database that is away does not answer for seconds; the server listens meanwhile. */
const FIRST_LOOK_MS = 500;

/** Resolves when the first look has ended or half a second has passed. Nothing is signed for an organization until a look succeeds. */
export async function followRoles(db: Database, log: Pick<Log, 'error'>): Promise<FollowedRoles> {
  let current: RoleCatalog | undefined;
  let signature = '';
  let isFailing = false;
  const failures = watchLookFailures((error) =>
    log.error({ component: 'organizations', error }, 'The roles of organizations cannot be read'),
  );

  const look = lookInTurn(
    () => readOrganizationRoles(db),
    (rows) => {
      const next = JSON.stringify(rows.map(({ name, permissions }) => [name, permissions]));
      if (current !== undefined && next === signature) return;
      current = makeRoleCatalog(rows);
      signature = next;
    },
  );

  async function lookSafely(): Promise<void> {
    try {
      await look();
      isFailing = false;
      failures.clear();
    } catch (error) {
      isFailing = true;
      failures.note(error);
    }
  }

  await Promise.race([lookSafely(), pause(FIRST_LOOK_MS)]);
  const looks = lookAgain(lookSafely, () => (isFailing ? SOON_MS : LOOK_MS), isFailing ? SOON_MS : LOOK_MS);
  return {
    catalog() {
      if (current === undefined) throw apiError('overloaded', {}, { retryAfterSeconds: 1 });
      return current;
    },
    look,
    close: looks.close,
  };
}
