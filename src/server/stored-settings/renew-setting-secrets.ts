import { readSealedSettings, resealSetting, type SealedSettingRow } from '../../db/stored-settings.js';
import type { Database, SealedRow } from '../../db/types.js';
import type { Config } from '../config/load.js';
import { startRenewal } from '../sealing/renew-sealed.js';
import type { Log } from '../telemetry/log.js';
import { openSettingSealer } from './store.js';

const PAGE = 100;

/** A row of the renewal, which knows rows by one text. */
const idOf = ({ version, name }: Pick<SealedSettingRow, 'version' | 'name'>): string => `${version} ${name}`;

function keyOf(id: string): { version: number; name: string } {
  const at = id.indexOf(' ');
  return { version: Number(id.slice(0, at)), name: id.slice(at + 1) };
}

/**
 * Seals the secrets among the stored settings anew where that is due, those of earlier sets included, in the background.
 * @returns a function that stops it
 */
export function renewSettingSecrets(db: Database, config: Config, log: Pick<Log, 'warn'>): () => void {
  const { jwtPreviousSecrets, jwtKeysEncryptionKeys } = config;
  // Only then an earlier key may have sealed what is stored.
  if (jwtPreviousSecrets.length === 0 && jwtKeysEncryptionKeys.length === 0) return () => undefined;
  const sealer = openSettingSealer(config);
  // A secret is sealed with its name, so that it opens in no other place.
  const byRow = { ...sealer, renew: (id: string, sealed: string) => sealer.renew(keyOf(id).name, sealed) };
  return startRenewal(byRow, {
    async readPage(after: SealedRow | null) {
      const rows = await readSealedSettings(db, after === null ? null : keyOf(after.id), PAGE);
      return rows.map((row) => ({ id: idOf(row), sealed: row.sealed }));
    },
    replace: (row, sealed) => resealSetting(db, { ...keyOf(row.id), sealed: row.sealed }, sealed),
    warn(reason) {
      log.warn({ component: 'config', reason }, 'Secrets of settings are not sealed with the new key yet.');
    },
  });
}
