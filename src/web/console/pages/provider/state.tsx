import { Badge } from '../../parts/details.js';
import type { ShownProvider } from './shown-provider.js';

export function ProviderState({ provider: { enabled, problem } }: { readonly provider: ShownProvider }) {
  if (!enabled) return <Badge>off</Badge>;
  return problem === null ? <Badge tone="ok">ready</Badge> : <Badge tone="danger">{problem}</Badge>;
}
