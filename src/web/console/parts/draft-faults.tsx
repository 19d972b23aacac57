/** What is wrong with the draft, above a preview that goes without it. */
import type { ChangeFault } from '../core/draft.js';
import { Note } from './alert.js';

export const DraftFaults = ({ faults }: { readonly faults: readonly ChangeFault[] }) =>
  faults.map(({ name, problem }) => (
    <Note key={name + problem} tone="warn">
      <p class="break">
        <code>{name}</code> {problem}
      </p>
    </Note>
  ));
