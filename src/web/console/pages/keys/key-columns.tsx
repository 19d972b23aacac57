import { may } from '../../core/state.js';
import { Badge, CopyButton } from '../../parts/details.js';
import type { Column } from '../../parts/list.js';
import { Time } from '../../parts/time.js';

export interface ShownKey {
  readonly kid: string;
  readonly alg: string;
  readonly state: 'standby' | 'active' | 'previous' | 'retired';
  readonly since: string;
  readonly next_state_at: string | null;
  readonly last_used_at: string | null;
  readonly tokens_live_until: string | null;
}

export type KeyDeed =
  | { readonly verb: 'rotate' }
  | { readonly verb: 'promote' | 'retire' | 'revoke'; readonly kid: string };

const tones = { standby: 'plain', active: 'ok', previous: 'warn', retired: 'danger' } as const;
const meanings = {
  standby: 'published, does not sign yet',
  active: 'signs',
  previous: 'verifies what it has signed',
  retired: 'refused',
} as const;

/** @param signingKid of the process that answered */
export const keyColumns = (signingKid: string): readonly Column<ShownKey>[] => [
  {
    title: 'Key',
    cell: ({ kid, alg }) => (
      <>
        <code class="clip kid" title={kid}>
          {kid}
        </code>{' '}
        <CopyButton text={kid} what="the kid" /> <span class="small muted">{alg}</span>
      </>
    ),
  },
  {
    title: 'State',
    cell: ({ kid, state, since, next_state_at }) => (
      <>
        <Badge tone={tones[state]}>{state}</Badge> <span class="small muted">{meanings[state]}</span>
        {since !== '' && (
          <p class="small muted">
            since <Time at={since} />
            {next_state_at !== null && (
              <>
                , {state === 'standby' ? 'signs' : 'retired'} <Time at={next_state_at} />
              </>
            )}
          </p>
        )}
        {state === 'active' && kid !== signingKid && <p class="small muted">This process has not followed yet.</p>}
      </>
    ),
  },
  {
    title: 'Tokens',
    from: 'medium',
    cell: ({ state, tokens_live_until }) =>
      state === 'active' ? (
        'new ones are signed'
      ) : tokens_live_until !== null ? (
        <>
          the last one expires <Time at={tokens_live_until} /> at the latest
        </>
      ) : (
        'none'
      ),
  },
  { title: 'Last use', from: 'medium', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
];

interface ActionsProps {
  readonly of: ShownKey;
  readonly choose: (deed: KeyDeed) => void;
}

export function KeyActions({ of: { kid, state }, choose }: ActionsProps) {
  const verbs = [
    ...(may('admin') && (state === 'standby' || state === 'previous') ? (['promote'] as const) : []),
    ...(may('admin') && (state === 'standby' || state === 'previous') ? (['retire'] as const) : []),
    ...(may('owner') && state !== 'retired' ? (['revoke'] as const) : []),
  ];
  return (
    <span class="deeds">
      {verbs.map((verb) => (
        <button
          key={verb}
          type="button"
          class={verb === 'revoke' ? 'danger plain small' : 'plain small'}
          aria-label={`${verb} ${kid}`}
          onClick={() => choose({ verb, kid })}
        >
          {verb}
        </button>
      ))}
    </span>
  );
}
