/** Chooses what is shown: a link, the sign-in, or the page of the address in the layout. */
import { useEffect, useState } from 'preact/hooks';
import { type ApiFault, asFault } from '../core/api.js';
import { place } from '../core/location.js';
import { loadOperator } from '../core/session.js';
import { operator } from '../core/state.js';
import { Alert } from '../parts/alert.js';
import { Toasts } from '../parts/toasts.js';
import { Skeleton } from '../parts/view.js';
import { Entrance } from './entrance.js';
import { Layout } from './layout.js';
import { LinkPage } from './link-page.js';
import { SignInPage } from './sign-in-page.js';

export function App() {
  const isLink = place.value.path === '/link';
  const [fault, setFault] = useState<ApiFault | null>(null);
  const load = () => {
    setFault(null);
    loadOperator().catch((error: unknown) => setFault(asFault(error)));
  };
  useEffect(() => {
    if (!isLink && operator.peek() === undefined) load();
  }, [isLink]);
  return (
    <>
      {choose(isLink, fault, load)}
      <Toasts />
    </>
  );
}

function choose(isLink: boolean, fault: ApiFault | null, retry: () => void) {
  if (isLink) return <LinkPage />;
  if (operator.value === null) return <SignInPage />;
  if (operator.value !== undefined) return <Layout operator={operator.value} />;
  return (
    <Entrance title="Latchkey console">
      {fault === null ? (
        <Skeleton rows={3} />
      ) : (
        <Alert fault={fault}>
          <button type="button" class="plain small" onClick={retry}>
            Try again
          </button>
        </Alert>
      )}
    </Entrance>
  );
}
