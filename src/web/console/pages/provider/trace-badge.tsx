import { Badge } from '../../parts/details.js';
import type { ShownTraceState } from './shown-provider.js';

const words = {
  waiting: ['waits to be opened', 'plain'],
  expired: ['was never opened', 'warn'],
  running: ['under way', 'plain'],
  abandoned: ['did not come back', 'warn'],
  session: ['signed in', 'ok'],
  code: ['code issued', 'ok'],
  dry_run: ['dry run passed', 'ok'],
  denied: ['refused at the provider', 'warn'],
  failed: ['failed', 'danger'],
} as const;

export const TraceBadge = ({ state }: { readonly state: ShownTraceState }) => (
  <Badge tone={words[state][1]}>{words[state][0]}</Badge>
);
