/** The text of a setting for people: without credentials, and no longer than they read. */
import { hideCredentials } from '../config/hide-credentials.js';
import { parseSetting } from '../config/load.js';
import { describeImage } from '../config/parse-image.js';
import { placeNames } from '../config/storable.js';

/** All mails in several languages would fill the page, and each entry of the audit log. */
const MAX_SHOWN = 2000;

/** @param text of a setting that is no secret */
export function showSettingText(name: string, text: string): string {
  const setting = placeNames([name]).get(name)?.setting;
  if (setting?.kind === 'image') {
    const parsed = parseSetting(setting, text);
    if ('value' in parsed) return describeImage(parsed.value as string);
  }
  const shown = hideCredentials(text);
  return shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}… (${text.length} characters)` : shown;
}
