/** Why settings would not do for a start. */
import type { ComponentChildren } from 'preact';
import { Note } from '../../parts/alert.js';

export interface SettingFault {
  readonly variable: string;
  readonly problem: string;
}

/** Nothing where there are no faults. @param children one sentence above them */
export const FaultList = ({
  faults,
  children,
}: {
  readonly faults: readonly SettingFault[];
  readonly children: ComponentChildren;
}) =>
  faults.length === 0 ? null : (
    <Note tone="warn">
      <p>{children}</p>
      <ul>
        {faults.map(({ variable, problem }) => (
          <li key={variable + problem}>
            <code>{variable}</code> {problem}
          </li>
        ))}
      </ul>
    </Note>
  );
