import type { DraftChange } from '../core/draft.js';
import type { ListedSetting } from '../core/setting.js';

/** What the control of a setting shows, and where its value goes. */
export interface ControlProps {
  readonly setting: ListedSetting;
  readonly label: string;
  readonly change: DraftChange | undefined;
  readonly isOff: boolean;
  readonly isWrong: boolean;
  /** @param text null: back to the default */
  readonly put: (text: string | null) => void;
}
