import type { ComponentChildren } from 'preact';

interface HeadingProps {
  readonly title: ComponentChildren;
  /** One sentence. */
  readonly about?: ComponentChildren | undefined;
  /** Buttons at its end. */
  readonly children?: ComponentChildren;
}

/** The heading of a page. */
export const Heading = ({ title, about, children }: HeadingProps) => (
  <header class="heading">
    <div>
      <h1>{title}</h1>
      {about !== undefined && <p class="muted">{about}</p>}
    </div>
    {children !== undefined && <div class="actions">{children}</div>}
  </header>
);
