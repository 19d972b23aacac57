/** Asks again by itself while the page can be seen, which does not keep the session alive. */
import { useEffect, useRef } from 'preact/hooks';
import { send } from './api.js';

/**
 * @param path of a GET; null: nothing is asked for
 * @param put takes each answer, that of the latest rendering; a request that fails is tried again the next time
 */
export function usePolling<T>(path: string | null, everyMs: number, put: (data: T) => void): void {
  const latest = useRef(put);
  latest.current = put;
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
          latest.current((await send<T>('GET', from, { isBackground: true, signal: abort.signal })).data);
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
  }, [path, everyMs]);
}
