/** The states of what a page shows: loading, error, forbidden, stale, there. */
import type { ComponentChildren } from 'preact';
import type { ApiFault } from '../core/api.js';
import type { Resource, Shown } from '../core/resource.js';
import { isReachable, operator } from '../core/state.js';
import { Alert } from './alert.js';

interface ViewProps<T> {
  readonly of: Shown<T>;
  readonly children: (data: T) => ComponentChildren;
  /** Rows of the skeleton. */
  readonly rows?: number;
}

export function View<T>({ of, children, rows = 6 }: ViewProps<T>) {
  const { data, fault, isLoading, reload } = of;
  const retry = (
    <button type="button" class="plain small" onClick={() => void reload()} aria-busy={isLoading}>
      Try again
    </button>
  );
  if (data === undefined) {
    if (fault !== null) return <FaultView fault={fault}>{retry}</FaultView>;
    return <Skeleton rows={rows} />;
  }
  return (
    <div class="view" aria-busy={isLoading}>
      {fault !== null && (
        <div class="alert warn" role="status">
          <div>
            <p>
              {fault.code === 'offline' ? 'The server does not answer' : fault.message}: this is what it was before.
              Nothing can be changed until it answers.
            </p>
            {retry}
          </div>
        </div>
      )}
      <Changeable of={of}>{children(data)}</Changeable>
    </div>
  );
}

interface ChangeableProps {
  readonly of: Pick<Resource<unknown>, 'fault'>;
  readonly children: ComponentChildren;
}

/** Buttons and fields that are off while what they would change is stale. Dialogs are outside of it (dialog.tsx). */
export const Changeable = ({ of: { fault }, children }: ChangeableProps) => (
  <fieldset class="bare" disabled={fault !== null || !isReachable.value}>
    {children}
  </fieldset>
);

/** In place of what could not be loaded. */
export function FaultView({ fault, children }: { readonly fault: ApiFault; readonly children?: ComponentChildren }) {
  if (fault.code === 'operator_role') return <Forbidden message={fault.message} />;
  if (fault.status === 404) return <Empty title={fault.message} />;
  return <Alert fault={fault}>{children}</Alert>;
}

export const Forbidden = ({ message }: { readonly message: string }) => (
  <Empty title={message}>
    <p>
      You are signed in as {operator.value?.name}, {operator.value?.role}. An owner can change that.
    </p>
  </Empty>
);

/** Why there is nothing, and what to do next. */
export const Empty = ({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) => (
  <div class="empty">
    <p class="title">{title}</p>
    {children}
  </div>
);

/** Appears after 150 ms (parts.css), so that quick answers do not flicker. */
export const Skeleton = ({ rows = 6 }: { readonly rows?: number }) => (
  <div class="skeleton" aria-busy="true">
    <span class="hidden">Loading</span>
    {Array.from({ length: rows }, (_, row) => (
      <div key={row} />
    ))}
  </div>
);
