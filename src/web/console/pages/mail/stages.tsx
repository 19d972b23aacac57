import { Badge } from '../../parts/details.js';

export const sayKind = (kind: string): string => kind.replace(/_notification$/, '').replaceAll('_', ' ');

interface StagesProps {
  readonly counts: readonly { readonly words: string; readonly count: number }[];
}

/** How many of what is listed stopped at which step. */
export const Stages = ({ counts }: StagesProps) =>
  counts.length === 0 ? null : (
    <p class="deeds">
      {counts.map(({ words: said, count }) => (
        <Badge key={said} tone="plain">
          {count.toLocaleString('en')} × {said}
        </Badge>
      ))}
    </p>
  );

interface RecipientProps {
  readonly userId: string | null;
  readonly recipient: string | null;
}

export const Recipient = ({ userId, recipient }: RecipientProps) =>
  userId === null ? (
    (recipient ?? <span class="muted">unknown</span>)
  ) : (
    <a href={`/users/${userId}`} class="name">
      {recipient ?? 'the account'}
    </a>
  );
