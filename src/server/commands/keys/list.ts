import { listSigningKeys } from '../../../db/signing-keys.js';
import { withKeyStore } from '../../cli/key-store.js';
import { type Command, EXIT } from '../../cli/types.js';
import { type DescribedKey, describeStoredKey } from '../../keys/describe.js';
import { previousSeconds } from '../../keys/rotation.js';

export const listKeys: Command = {
  summary: 'Show the keys in the database and their states',
  help: `Shows kid, algorithm, state, since when, the last minute in which a token was verified with it, and until when its tokens
may live. standby: published, does not sign yet. active: signs. previous: verifies. retired: refused. How many sessions hold
tokens of a key is not counted: that would read every session.`,
  options: {
    json: { type: 'boolean', doc: 'print one JSON object' },
  },
  run: (args, io) =>
    withKeyStore(args, io, async (store) => {
      const rows = await listSigningKeys(store.db);
      const keys = rows.map((row) => describeStoredKey(row, previousSeconds(store)));
      if (args.values['json'] === true) {
        io.out(`${JSON.stringify({ keys }, null, 2)}\n`);
      } else if (keys.length === 0) {
        io.out('There is no key in the database: AUTH_JWT_SECRET signs. latchkey keys rotate makes the first one.\n');
      } else {
        io.out(renderTable(keys));
      }
      return EXIT.ok;
    }),
};

function renderTable(keys: readonly DescribedKey[]): string {
  const rows = keys.map((key) => [
    ...[key.kid, key.alg, key.state, toSeconds(key.since)],
    key.last_used_at === null ? 'never' : toSeconds(key.last_used_at),
    key.state === 'active' ? 'new ones are signed' : key.tokens_live_until ? toSeconds(key.tokens_live_until) : 'none',
    key.next_state_at === null
      ? ''
      : `${key.state === 'standby' ? 'active' : 'retired'} at ${toSeconds(key.next_state_at)}`,
  ]);
  const all = [['KID', 'ALG', 'STATE', 'SINCE', 'LAST USE', 'TOKENS LIVE UNTIL', 'NEXT'], ...rows];
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  return all
    .map(
      (row) =>
        `${row
          .map((cell, i) => cell.padEnd(widths[i]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

const toSeconds = (time: string): string => time.replace(/\.\d+/, '');
