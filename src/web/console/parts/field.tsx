/** A field of a form with its label. */
import type { JSX } from 'preact';

type FieldProps = JSX.IntrinsicElements['input'] & {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
};

export const Field = ({ label, hint, ...input }: FieldProps) => (
  <label class="field">
    <span>
      {label} {hint !== undefined && <small>{hint}</small>}
    </span>
    <input autocapitalize="off" spellcheck={false} {...input} />
  </label>
);

interface ChoiceProps {
  readonly label: string;
  readonly name: string;
  readonly choices: readonly (readonly [value: string, label: string])[];
  readonly value?: string;
  readonly onChange?: (value: string) => void;
}

export const Choice = ({ label, name, choices, value, onChange }: ChoiceProps) => (
  <label class="field">
    <span>{label}</span>
    <select name={name} onChange={(event) => onChange?.(event.currentTarget.value)}>
      {choices.map(([one, text]) => (
        <option key={one} value={one} selected={one === value}>
          {text}
        </option>
      ))}
    </select>
  </label>
);

type AreaProps = JSX.IntrinsicElements['textarea'] & {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
  readonly children?: string;
};

/** Several lines. */
export const Area = ({ label, hint, children = '', ...area }: AreaProps) => (
  <label class="field">
    <span>
      {label} {hint !== undefined && <small>{hint}</small>}
    </span>
    <textarea class="lines" rows={3} autocapitalize="off" spellcheck={false} defaultValue={children} {...area} />
  </label>
);

interface CheckBoxProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
  readonly isOn?: boolean;
}

/** Its value is in the form only when it is checked. */
export const CheckBox = ({ label, name, hint, isOn = false }: CheckBoxProps) => (
  <label class="check">
    <input type="checkbox" name={name} defaultChecked={isOn} />
    <span>
      {label} {hint !== undefined && <small>{hint}</small>}
    </span>
  </label>
);
