import type { DraftChange } from '../core/draft.js';
import type { ListedSetting } from '../core/setting.js';

/** What the control of a setting shows, and where its value goes. */
export interface ControlProps {
  readonly setting: ListedSetting;
  readonly label: string;
  readonly change: DraftChange | undefined;
  /** As the draft has it, or else the setting; null: hidden, or the default. */
  readonly text: string | null;
  readonly isOff: boolean;
  readonly isWrong: boolean;
  /** @param text null: back to the default */
  readonly put: (text: string | null) => void;
}

/** What is said about a control beside it (setting-field.tsx). */
export const describedBy = ({ setting: { name }, isWrong }: Pick<ControlProps, 'setting' | 'isWrong'>): string =>
  isWrong ? `${name}-fault ${name}-doc` : `${name}-doc`;
