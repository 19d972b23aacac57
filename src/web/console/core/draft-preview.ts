/** What a mail or a page looks like: as it is, or as the draft would have it, rendered by the server while one types. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { asFault, isAbort, pathWith, send } from './api.js';
import { changes } from './draft.js';
import type { Shown } from './resource.js';
import { may } from './state.js';

/** Between two keys of an operator who types. */
const PAUSE_MS = 300;

interface PreviewOf {
  /** Of a GET of what is in use. */
  readonly path: string;
  /** Of a POST of a draft. */
  readonly draftPath: string;
  /** For both. */
  readonly fields: Readonly<Record<string, string>>;
}

/** The changes of the draft that a preview depends on. */
export const changesOf = (isWanted: (name: string) => boolean): Readonly<Record<string, string | null>> =>
  Object.fromEntries(
    Object.entries(changes.value)
      .filter(([name, { isSecret }]) => !isSecret && isWanted(name))
      .map(([name, { text }]) => [name, text]),
  );

/** What was shown stays until the next is there. @param version of the settings in use, after which it is asked for anew */
export function usePreview<T>(
  { path, draftPath, fields }: PreviewOf,
  draft: Readonly<Record<string, string | null>>,
  version: number,
): Shown<T> {
  const state = useSignal<Omit<Shown<T>, 'reload'>>({ data: undefined, fault: null, isLoading: true });
  const isDraft = may('admin') && Object.keys(draft).length > 0;
  const body = { ...fields, changes: draft };
  const address = pathWith(path, fields);
  const asked = isDraft ? JSON.stringify(body) : address;

  const load = async (signal?: AbortSignal) => {
    state.value = { ...state.peek(), isLoading: true };
    try {
      const ask = signal === undefined ? {} : { signal };
      const { data } = isDraft
        ? await send<T>('POST', draftPath, { ...ask, body })
        : await send<T>('GET', address, ask);
      if (!signal?.aborted) state.value = { data, fault: null, isLoading: false };
    } catch (error) {
      if (isAbort(error) || signal?.aborted) return;
      state.value = { ...state.peek(), fault: asFault(error), isLoading: false };
    }
  };
  useEffect(() => {
    const abort = new AbortController();
    const timer = setTimeout(() => void load(abort.signal), state.peek().data === undefined ? 0 : PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [asked, version]);
  return { ...state.value, reload: () => load() };
}
