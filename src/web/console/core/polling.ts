/** Asks again by itself while the page can be seen, which does not keep the session alive. */
import { useEffect } from 'preact/hooks';
import { send } from './api.js';

/**
 * @param path of a GET; null: nothing is asked for
 * @param put takes each answer; a request that fails is tried again the next time
 */
export function usePolling<T>(path: string | null, everyMs: number, put: (data: T) => void): void {
  useEffect(() => {
    if (path === null) return;
    const abort = new AbortController();
    let timer = 0;
    const askLater = () => {
      timer = setTimeout(() => void ask(path), everyMs);
    };
    const ask = async (from: string) => {
      if (document.visibilityState === 'visible') {
        try {
          put((await send<T>('GET', from, { isBackground: true, signal: abort.signal })).data);
        } catch {
          // The next request of the operator shows the fault.
        }
      }
      if (!abort.signal.aborted) askLater();
    };
    askLater();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
    // What takes the answers may be another function at each rendering.
  }, [path, everyMs]);
}
