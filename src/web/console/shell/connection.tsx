/** Says that the server does not answer, and asks it until it does. What could not be loaded is then asked for again. */
import { useEffect, useState } from 'preact/hooks';
import { send } from '../core/api.js';
import { isReachable } from '../core/state.js';
import { Icon } from '../parts/icon.js';

const AGAIN_MS = 3000;

let isAsking = false;

/** The answer shows whether anybody is there (core/api.ts), whatever it is. */
async function ask(): Promise<void> {
  if (isAsking) return;
  isAsking = true;
  try {
    await send('GET', '/api/me', { isBackground: true });
  } catch {
    // The server does not answer, or the session has ended.
  } finally {
    isAsking = false;
  }
}

const askIfSeen = (): void => {
  if (document.visibilityState === 'visible') void ask();
};

export function Connection() {
  const canReach = isReachable.value;
  const [hasNetwork, setHasNetwork] = useState(navigator.onLine);
  useEffect(() => {
    const notice = (): void => {
      setHasNetwork(navigator.onLine);
      askIfSeen();
    };
    addEventListener('offline', notice);
    addEventListener('online', notice);
    return () => {
      removeEventListener('offline', notice);
      removeEventListener('online', notice);
    };
  }, []);
  useEffect(() => {
    // A browser without a network may still reach a server on the same machine, so its word alone does not count. Nor does one answer:
    // it may have been on its way when the network went.
    if (canReach && hasNetwork) return;
    const timer = setInterval(askIfSeen, AGAIN_MS);
    document.addEventListener('visibilitychange', askIfSeen);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', askIfSeen);
    };
  }, [canReach, hasNetwork]);
  return (
    <div class="connection" role="status">
      {!canReach && (
        <div class="alert warn">
          <Icon name="alert" />
          <p>The server does not answer. It is asked every few seconds; until then nothing can be changed.</p>
        </div>
      )}
    </div>
  );
}
