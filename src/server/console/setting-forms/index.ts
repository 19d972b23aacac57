/** Which settings stand on which form of the console, in which group. A new setting goes where its section goes. */
import { mainNameOf, type PlacedSetting } from '../../config/settings.js';
import { addressesForm, lookForm, oauthServerForm, providersForm } from './application-forms.js';
import { hooksForm, mailForm, smsForm } from './delivery-forms.js';
import { limitsForm, upkeepForm } from './limit-forms.js';
import { type Form, type FormGroup, type FormId, formIds } from './setting-form.js';
import { signInForm } from './sign-in-form.js';

export { type FormId, formIds } from './setting-form.js';

export const settingForms: Readonly<Record<FormId, Form>> = {
  'sign-in': signInForm,
  addresses: addressesForm,
  limits: limitsForm,
  sms: smsForm,
  hooks: hooksForm,
  'oauth-server': oauthServerForm,
  mail: mailForm,
  look: lookForm,
  providers: providersForm,
  upkeep: upkeepForm,
};

interface PlaceOnForm {
  readonly form: FormId;
  /** Empty: the form has no tabs. */
  readonly tab: string;
  readonly group: string;
  readonly label: string;
  /** Among the settings of the form. */
  readonly order: number;
}

/** The groups of a form, in their order. */
export const groupsOf = (form: FormId) =>
  settingForms[form].flatMap(({ title: tab, groups }) =>
    groups.map(({ title, about = null, isFolded = false }) => ({ tab, title, about, is_folded: isFolded })),
  );

interface Candidate {
  readonly form: FormId;
  readonly tab: string;
  readonly group: FormGroup;
  readonly order: number;
}

const candidates: readonly Candidate[] = formIds.flatMap((form) =>
  settingForms[form].flatMap(({ title, groups }, tab) =>
    groups.map((group, i) => ({ form, tab: title, group, order: (tab * 100 + i) * 1000 })),
  ),
);

/** @returns null: the section of the setting is on no form, which a test refuses */
export function placeOnForm({ section, setting }: Pick<PlacedSetting, 'section' | 'setting'>): PlaceOnForm | null {
  const name = mainNameOf(setting).replace(/^AUTH_/, '');
  for (const { group, ...at } of candidates) {
    const label = group.settings?.[name];
    if (label === undefined) continue;
    const order = at.order + Object.keys(group.settings!).indexOf(name);
    return { ...at, group: group.title, label, order };
  }
  const [best] = candidates
    .map((candidate) => ({ candidate, beginning: longestBeginning(candidate.group, name) }))
    .filter(({ candidate, beginning }) => beginning !== '' || candidate.group.sections?.includes(section))
    .sort((a, b) => b.beginning.length - a.beginning.length);
  if (best === undefined) return null;
  const { candidate, beginning } = best;
  // After those with a place of their own.
  return { ...placeOf(candidate), label: makeLabel(name.slice(beginning.length)) };
}

const placeOf = ({ form, tab, group, order }: Candidate): Omit<PlaceOnForm, 'label'> => ({
  ...{ form, tab, group: group.title },
  order: order + 999,
});

const longestBeginning = ({ beginnings = [] }: FormGroup, name: string): string =>
  beginnings.filter((one) => name.startsWith(one)).sort((a, b) => b.length - a.length)[0] ?? '';

/** Words that are written in capitals. */
const CAPITALS = /\b(?:id|uri|url|sms|api|mfa|ttl|mx|sid|totp|db|ca)\b/gi;

/** `REDIRECT_URI` becomes `Redirect URI`. */
function makeLabel(name: string): string {
  const words = name.toLowerCase().replaceAll('_', ' ').trim();
  const sentence = words.charAt(0).toUpperCase() + words.slice(1);
  return sentence.replace(CAPITALS, (word) => word.toUpperCase());
}
