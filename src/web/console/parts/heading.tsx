import type { ComponentChildren } from 'preact';
import type { Resource } from '../core/resource.js';
import { Changeable } from './view.js';

interface HeadingProps {
  readonly title: ComponentChildren;
  /** One sentence. */
  readonly about?: ComponentChildren | undefined;
  /** What its buttons change: while that is stale they are off. */
  readonly of?: Pick<Resource<unknown>, 'fault'>;
  /** Buttons or links at its end. */
  readonly children?: ComponentChildren;
}

/** The heading of a page. */
export const Heading = ({ title, about, of, children }: HeadingProps) => (
  <header class="heading">
    <div>
      <h1>{title}</h1>
      {about !== undefined && <p class="muted">{about}</p>}
    </div>
    {children !== undefined && (
      <div class="actions">{of === undefined ? children : <Changeable of={of}>{children}</Changeable>}</div>
    )}
  </header>
);
