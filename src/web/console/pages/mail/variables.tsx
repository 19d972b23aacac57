interface VariablesProps {
  readonly variables: readonly { readonly name: string; readonly about: string; readonly example: string | null }[];
  readonly insert: (name: string) => void;
}

/** What a mail of the kind knows; a button writes it into the body. */
export const Variables = ({ variables, insert }: VariablesProps) => (
  <details class="variables">
    <summary>Variables</summary>
    <ul class="plain-list">
      {variables.map(({ name, about, example }) => (
        <li key={name}>
          <button
            type="button"
            class="plain small"
            onClick={() => insert(name)}
            aria-label={`Write .${name} into the body`}
          >
            <code>.{name}</code>
          </button>{' '}
          <span class="small">{about}</span> {example !== null && <span class="small muted break">{example}</span>}
        </li>
      ))}
    </ul>
    <p class="small muted">
      Conditions and loops are those of Go templates, such as{' '}
      <code>{'{{ if .Data.full_name }}Hello {{ .Data.full_name }}{{ end }}'}</code>.
    </p>
  </details>
);
