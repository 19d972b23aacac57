import { may } from '../../core/state.js';
import { Badge } from '../../parts/details.js';
import type { Column } from '../../parts/list.js';
import { Time } from '../../parts/time.js';

export interface ShownLimit {
  readonly name: string;
  readonly counts: 'client' | 'recipient' | 'everyone' | 'address' | 'account';
  readonly setting: string | null;
  readonly rule:
    | { readonly kind: 'bucket'; readonly most: number; readonly perSecond: number }
    | { readonly kind: 'window'; readonly most: number; readonly seconds: number }
    | { readonly kind: 'delay' };
}

export interface ShownCounter {
  readonly name: string;
  readonly key: string;
  readonly count: number;
  readonly wait_seconds: number;
  readonly until: string | null;
}

const names: Readonly<Record<string, string>> = {
  sign_in: 'Wrong passwords',
  factor_tries: 'Wrong codes of second factors',
  notice: 'Notices to a recipient',
  'quota.email': 'All mails',
  'quota.sms': 'All texts',
  'recipient.sms': 'Texts to a number',
};

export function nameOfLimit(name: string): string {
  const known = names[name];
  if (known !== undefined) return known;
  const [kind, rest = ''] = name.split('.');
  const words = rest.replaceAll('_', ' ');
  return kind === 'recipient' ? `Mails to an address: ${words}` : `Requests of a client: ${words}`;
}

/** As "one more every 10 s, 30 at once". */
export function sayRule(rule: ShownLimit['rule']): string {
  if (rule.kind === 'delay') return 'twice as long after each, 15 minutes at most';
  if (rule.kind === 'window') return `${rule.most} within ${Math.round(rule.seconds)} s`;
  const every = 1 / rule.perSecond;
  return `${rule.most} at once, one more every ${every < 10 ? every.toFixed(1) : Math.round(every)} s`;
}

/** Whom a counter counts, as far as it can be said. */
function Who({ counter, limit }: { readonly counter: ShownCounter; readonly limit: ShownLimit | undefined }) {
  if (limit?.counts === 'account') return <a href={`/users/${counter.key}`}>a user</a>;
  if (limit?.counts === 'everyone') return <>everybody</>;
  if (limit?.counts === 'client' && !counter.key.startsWith('id:')) return <code class="whole">{counter.key}</code>;
  return (
    <code class="clip muted" title={`Stored as a hash: ${counter.key}`}>
      {counter.key}
    </code>
  );
}

export const counterColumns = (
  limits: readonly ShownLimit[],
  forgive: (counter: ShownCounter) => void,
): readonly Column<ShownCounter>[] => {
  const limitOf = (name: string) => limits.find((one) => one.name === name);
  return [
    {
      title: 'Limit',
      cell: ({ name }) => {
        const limit = limitOf(name);
        return (
          <>
            {nameOfLimit(name)}
            {limit !== undefined && (
              <p class="small muted">
                {sayRule(limit.rule)} {limit.setting !== null && <code>{limit.setting}</code>}
              </p>
            )}
          </>
        );
      },
    },
    { title: 'Who', cell: (counter) => <Who counter={counter} limit={limitOf(counter.name)} /> },
    { title: 'Counted', from: 'medium', isEnd: true, cell: ({ count }) => count },
    {
      title: 'Held back',
      cell: ({ until }) =>
        until === null ? (
          <span class="muted">not now</span>
        ) : (
          <>
            <Badge tone="warn">held back</Badge> until <Time at={until} isExact />
          </>
        ),
    },
    {
      title: 'Actions',
      cell: (counter) =>
        may('support') && (
          <button
            type="button"
            class="plain small"
            aria-label={`Forgive ${nameOfLimit(counter.name)} ${counter.key}`}
            onClick={() => forgive(counter)}
          >
            Forgive
          </button>
        ),
    },
  ];
};
