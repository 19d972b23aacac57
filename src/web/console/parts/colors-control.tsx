/** The colours of the pages in one mode: each with a picker; one that is the usual colour is not set. */
import { type ControlProps, describedBy } from './control-props.js';

const words: Readonly<Record<string, string>> = {
  background: 'Page',
  surface: 'Form',
  text: 'Text',
  muted: 'Text beside',
  border: 'Borders of fields',
  accent: 'Buttons and links',
  'on-accent': 'Text on buttons',
  danger: 'Errors',
};

function read(text: string | null): Map<string, string> {
  const pairs = (text ?? '').split(',').map((pair) => pair.trim().split(/\s*:\s*/, 2));
  return new Map(pairs.filter((pair): pair is [string, string] => pair.length === 2));
}

const write = (colors: ReadonlyMap<string, string>): string | null =>
  colors.size === 0 ? null : [...colors].map(([role, color]) => `${role}:${color}`).join(',');

export function ColorsControl({ setting, text, isOff, isWrong, put }: ControlProps) {
  const colors = read(text);
  const usualColors = read(setting.default);
  const choose = (role: string, color: string) => {
    const next = new Map(colors);
    if (color === usualColors.get(role)) next.delete(role);
    else next.set(role, color);
    put(write(next));
  };
  return (
    <fieldset class="colors" aria-describedby={describedBy({ setting, isWrong })}>
      <legend class="hidden">Colours</legend>
      {[...usualColors].map(([role, usualColor], i) => {
        const color = colors.get(role) ?? usualColor;
        return (
          <label key={role} class="color">
            <input
              type="color"
              {...(i === 0 && { id: setting.name })}
              value={color}
              disabled={isOff}
              onInput={(event) => choose(role, event.currentTarget.value)}
            />
            <span>
              {words[role] ?? role} <code class="muted">{color}</code>
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}
