import { fingerprintKeyOf } from '../../admin/running-config.js';
import { developmentOption } from '../../cli/development.js';
import { onOneLine } from '../../cli/one-line.js';
import { type Command, EXIT } from '../../cli/types.js';
import { parseInteger } from '../../config/parse.js';
import { type ReadableSet, readHistory } from '../../stored-settings/setting-history.js';
import { withSettingStore } from './apply.js';

export const configHistory: Command = {
  summary: 'Show who changed which settings of the database',
  help: `Prints the sets of settings that were stored, the newest first: version, time, who, why, and what was before and after. Of secrets
it prints fingerprints. A long value is cut, with its length; --full prints it whole. latchkey config rollback VERSION goes
back to one.`,
  options: {
    limit: { type: 'string', argument: 'N', doc: 'how many sets (default 20)' },
    full: { type: 'boolean', doc: 'print long values whole' },
    ndjson: { type: 'boolean', doc: 'print one JSON object a line, with whole values' },
    ...developmentOption,
  },
  run: async (args, io) => {
    const limit = parseInteger(String(args.values['limit'] ?? '20'), { min: 1, max: 10_000 });
    if ('fault' in limit) {
      io.err(`latchkey config history: --limit ${limit.fault}\n`);
      return EXIT.wrongUsage;
    }
    return withSettingStore(args, io, async (store, { jwtSecret }) => {
      const sets = await readHistory(store, fingerprintKeyOf(jwtSecret), null, limit.value);
      const render = renderSet(args.values['full'] === true);
      for (const set of sets) io.out(args.values['ndjson'] === true ? `${JSON.stringify(set)}\n` : render(set));
      if (sets.length === 0) io.err('Nothing was ever stored.\n');
      return EXIT.ok;
    });
  },
};

/** A line of a terminal has room for two of them. */
const MOST_SHOWN = 60;

const renderSet =
  (isFull: boolean) =>
  ({ version, at, by, comment, restored, changes }: ReadableSet): string => {
    const about = [
      at,
      by,
      ...(restored === null ? [] : [`restores ${restored}`]),
      ...(comment === '' ? [] : [comment]),
    ];
    const show = (text: string | null) => (text === null ? 'unset' : isFull ? onOneLine(text) : shorten(text));
    const lines = changes.map(({ name, before, after }) => `    ${name}  ${show(before)} -> ${show(after)}\n`);
    return `${version}  ${about.map(onOneLine).join('  ')}\n${lines.join('')}`;
  };

const shorten = (text: string): string =>
  text.length <= MOST_SHOWN ? onOneLine(text) : `${onOneLine(text.slice(0, MOST_SHOWN))}… (${text.length} characters)`;
