/** The control of a setting, by its kind. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { appliedVersion, undoChange } from '../core/draft.js';
import type { ListedSetting } from '../core/setting.js';
import { ColorsControl } from './colors-control.js';
import { type ControlProps, describedBy } from './control-props.js';
import { ImageControl } from './image-control.js';

/** What ties a control to its label, its meaning and its fault. */
const tiesOf = ({ setting, isOff, isWrong }: ControlProps) => ({
  id: setting.name,
  disabled: isOff,
  'aria-describedby': describedBy({ setting, isWrong }),
  'aria-invalid': isWrong,
});

export function SettingControl(props: ControlProps) {
  const { setting, text, put } = props;
  const { kind, choices, default: usual } = setting;
  if (setting.is_hidden) return <SecretControl {...props} />;
  if (kind === 'image') return <ImageControl {...props} />;
  if (COLORS.test(setting.name)) return <ColorsControl {...props} />;
  if (kind === 'bool') {
    return (
      <input
        type="checkbox"
        {...tiesOf(props)}
        checked={TRUE.has((text ?? usual ?? '').trim())}
        onChange={(event) => put(String(event.currentTarget.checked))}
      />
    );
  }
  if (choices !== null) {
    return (
      <select
        {...tiesOf(props)}
        value={text?.trim().toLowerCase() ?? usual ?? ''}
        onChange={(event) => put(event.currentTarget.value === '' ? null : event.currentTarget.value)}
      >
        {usual === null && <option value="">not set</option>}
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice.replaceAll('_', ' ')}
          </option>
        ))}
      </select>
    );
  }
  return <TextControl {...props} />;
}

/** Settings whose pairs are colours. */
const COLORS = /^AUTH_PAGES_COLORS/;

const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);

/** Items between commas are shown one a line. */
const isLines = ({ kind }: ListedSetting): boolean => kind === 'list' || kind === 'map';
const isLong = ({ kind, name, default: usual }: ListedSetting): boolean =>
  kind === 'headers' || /TEMPLATE/.test(name) || (usual ?? '').length > 50;

function shownOf(setting: ListedSetting, text: string | null): string {
  if (text === null || !isLines(setting)) return text ?? '';
  return splitItems(text, ',').join('\n');
}

function storedOf(setting: ListedSetting, shown: string): string | null {
  const text = isLines(setting) ? splitItems(shown, /[\n,]/).join(',') : shown;
  return text.trim() === '' ? null : text;
}

const splitItems = (text: string, separator: string | RegExp): string[] =>
  text
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** What is typed is kept as it is while it means what the draft has. */
function TextControl(props: ControlProps) {
  const { setting, text, put } = props;
  const [typed, setTyped] = useState('');
  const shown = storedOf(setting, typed) === text ? typed : shownOf(setting, text);
  const common = {
    ...tiesOf(props),
    value: shown,
    placeholder: setting.default
      ? `default ${shownOf(setting, setting.default)}`
      : `such as ${shownOf(setting, setting.example)}`,
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: false,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => {
      setTyped(event.currentTarget.value);
      put(storedOf(setting, event.currentTarget.value));
    },
  } as const;
  if (isLines(setting) || isLong(setting) || shown.includes('\n')) {
    return <textarea class="lines" rows={Math.min(8, Math.max(2, shown.split('\n').length))} {...common} />;
  }
  return <input inputMode={setting.kind === 'int' || setting.kind === 'float' ? 'decimal' : 'text'} {...common} />;
}

/** Texts of several lines, such as certificates. */
const isPem = ({ name, kind }: ListedSetting): boolean =>
  kind === 'headers' || /_(CERT|KEY|CA)$|_APPLE_SECRET$/.test(name);

/** Write-only: it says whether there is one, and takes another. */
function SecretControl(props: ControlProps) {
  const { setting, label, change, text, isOff, put } = props;
  const [isOpen, setOpen] = useState(false);
  const control = useRef<HTMLDivElement>(null);
  const isShown = !isOff && (isOpen || text !== null);
  const isThere = setting.is_set || setting.stored;
  const verb = isThere ? 'Replace' : 'Set';
  const applied = appliedVersion.value;
  useLayoutEffect(() => setOpen(false), [applied]);
  // The button is gone, and with it the focus.
  useLayoutEffect(() => {
    if (isOpen) control.current?.querySelector<HTMLElement>('input, textarea')?.focus();
  }, [isOpen]);
  const common = {
    ...tiesOf(props),
    value: text ?? '',
    autocomplete: 'off',
    spellcheck: false,
    onInput: ({ currentTarget: { value } }: { readonly currentTarget: { readonly value: string } }) =>
      value === '' ? undoChange(setting.name) : put(value),
  } as const;
  return (
    <div ref={control} class="secret">
      {!isShown && (
        <p class="state small">
          <span>
            {change === undefined ? (isThere ? 'Set' : 'Not set') : 'Will be removed'}
            {change === undefined && setting.fingerprint !== undefined && (
              <span class="muted">
                , fingerprint <code>{setting.fingerprint.slice(0, 8)}</code>
              </span>
            )}
          </span>
          <button
            type="button"
            class="plain small"
            aria-label={`${verb}: ${label}`}
            disabled={isOff}
            onClick={() => setOpen(true)}
          >
            {verb}
          </button>
        </p>
      )}
      {isShown &&
        (isPem(setting) ? <textarea class="lines" rows={4} {...common} /> : <input type="password" {...common} />)}
    </div>
  );
}
