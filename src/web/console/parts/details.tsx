/** Names with values, and small things that stand in them. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { toast } from '../core/state.js';
import { Icon } from './icon.js';

export type Detail = readonly [name: string, value: ComponentChildren];

/** Rows without a value are left out. */
export const Details = ({ rows }: { readonly rows: readonly Detail[] }) => (
  <dl class="details">
    {rows
      .filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);

interface CopyProps {
  readonly text: string;
  /** What it is, for the name of the button. */
  readonly what: string;
  readonly children?: ComponentChildren;
}

/** A value in letters of one width, with a button that copies it. */
export const Copy = ({ text, what, children }: CopyProps) => (
  <span class="copy">
    <code>{children ?? text}</code>
    <CopyButton text={text} what={what} />
  </span>
);

export function CopyButton({ text, what }: CopyProps) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
      setTimeout(() => setDone(false), 1500);
      toast(`Copied: ${what}`);
    } catch {
      toast('The browser does not allow copying here: select the text instead', true);
    }
  };
  return (
    <button
      type="button"
      class="icon-only"
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
      onClick={() => void copy()}
    >
      <Icon name={isDone ? 'check' : 'copy'} />
    </button>
  );
}

type Tone = 'ok' | 'warn' | 'danger' | 'plain';

export const Badge = ({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
);
