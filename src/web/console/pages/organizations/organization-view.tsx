/** A view of organizations, which may be switched off. */
import type { ComponentChildren } from 'preact';
import type { Shown } from '../../core/resource.js';
import { may } from '../../core/state.js';
import { Empty, View } from '../../parts/view.js';

interface OrganizationViewProps<T> {
  readonly of: Shown<T>;
  readonly rows?: number;
  readonly children: (data: T) => ComponentChildren;
}

export const OrganizationView = <T,>({ of, children, rows }: OrganizationViewProps<T>) =>
  of.data === undefined && of.fault?.code === 'feature_disabled' ? (
    <Empty title="Organizations are switched off">
      <p>
        They are customers that are companies, teams or households: their users are members with roles.{' '}
        {may('admin') ? (
          <>
            <a href="/sign-in-rules?tab=companies">Sign-in</a> has the settings that switch them on.
          </>
        ) : (
          'An administrator can switch them on.'
        )}
      </p>
    </Empty>
  ) : (
    <View of={of} {...(rows !== undefined && { rows })}>
      {children}
    </View>
  );
