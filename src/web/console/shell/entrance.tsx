/** The frame of what is shown before an operator is signed in. */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Mark } from './mark.js';

interface EntranceProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

export function Entrance({ title, children }: EntranceProps) {
  useEffect(() => {
    document.title = `${title} · Latchkey console`;
  }, [title]);
  return (
    <main class="entrance">
      <p class="brand">
        <Mark /> Latchkey console
      </p>
      <div class="card">
        <h1>{title}</h1>
        {children}
      </div>
      <p class="small muted">{location.host}</p>
    </main>
  );
}
