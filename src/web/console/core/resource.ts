/** What a page shows of the server: loaded anew when its address changes; what is known stays until then. */
import { useSignal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { type ApiFault, asFault, isAbort, send } from './api.js';
import { isReachable } from './state.js';

interface State<T> {
  readonly data: T | undefined;
  readonly etag: string | null;
  /** Why the last attempt failed. With data: what is shown is stale. */
  readonly fault: ApiFault | null;
  readonly isLoading: boolean;
}

export interface Resource<T> extends State<T> {
  /** @param isBackground the page asks by itself: it neither shows that nor keeps the session alive. */
  readonly reload: (isBackground?: boolean) => Promise<void>;
  /** Replaces what is known, as after a change that answered with it. */
  readonly put: (data: T, etag?: string | null) => void;
}

/** What a view shows of it. */
export type Shown<T> = Pick<Resource<T>, 'data' | 'fault' | 'isLoading' | 'reload'>;

/** @param path of a GET; null: nothing is asked for */
export function useResource<T>(path: string | null): Resource<T> {
  const state = useSignal<State<T>>({ data: undefined, etag: null, fault: null, isLoading: path !== null });
  const running = useRef<AbortController | null>(null);
  // A reload that began in an earlier rendering loads what the page shows now.
  const latest = useRef(path);
  latest.current = path;

  const reload = useCallback(
    async (isBackground = false) => {
      running.current?.abort();
      const { current } = latest;
      if (current === null) return;
      const abort = new AbortController();
      running.current = abort;
      if (!isBackground) state.value = { ...state.peek(), isLoading: true };
      try {
        const { data, etag } = await send<T>('GET', current, { signal: abort.signal, isBackground });
        state.value = { data, etag, fault: null, isLoading: false };
      } catch (error) {
        if (isAbort(error) || abort.signal.aborted) return;
        state.value = { ...state.peek(), fault: asFault(error), isLoading: false };
      }
    },
    [state],
  );

  useEffect(() => {
    void reload();
    return () => running.current?.abort();
  }, [path, reload]);

  // A request without an answer is sent again as soon as the server answers.
  const canAsk = isReachable.value;
  useEffect(() => {
    if (canAsk && state.peek().fault?.code === 'offline') void reload(true);
  }, [canAsk, reload, state]);

  const put = (data: T, etag: string | null = null) => {
    state.value = { data, etag, fault: null, isLoading: false };
  };
  return { ...state.value, reload, put };
}
