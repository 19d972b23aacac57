interface RadiosProps<Value extends string> {
  /** Read to screen readers. */
  readonly legend: string;
  readonly name: string;
  readonly choices: readonly (readonly [value: Value, label: string])[];
  readonly chosen: Value;
  readonly choose: (value: Value) => void;
}

/** How something is shown: one of a few, in a row. */
export const Radios = <Value extends string>({ legend, name, choices, chosen, choose }: RadiosProps<Value>) => (
  <fieldset class="looks">
    <legend class="hidden">{legend}</legend>
    {choices.map(([value, label]) => (
      <label key={value} class="check">
        <input type="radio" name={name} checked={value === chosen} onChange={() => choose(value)} />
        {label}
      </label>
    ))}
  </fieldset>
);
