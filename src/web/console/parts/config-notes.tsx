/** Which stored set the processes use, and what keeps one from the newest. Silent when all is well. */
import { usePolling } from '../core/polling.js';
import { Note } from './alert.js';

export interface ConfigProcess {
  readonly id: string;
  readonly host: string;
  readonly version: number;
  /** Why it goes on with the former set. */
  readonly error: string | null;
  readonly seen_at: string;
}

export interface ConfigState {
  /** Of the newest set; 0: there is none. */
  readonly version: number;
  readonly changed_at: string | null;
  readonly changed_by: string | null;
  readonly processes: readonly ConfigProcess[];
  /** Why the newest set is not in use. */
  readonly problem: string | null;
}

const POLL_MS = 2000;

export function ConfigNotes({
  state,
  put,
}: {
  readonly state: ConfigState;
  readonly put: (state: ConfigState) => void;
}) {
  const { version, processes, problem } = state;
  const behind = processes.filter((one) => one.version !== version);
  usePolling<ConfigState>(behind.length > 0 ? '/api/config' : null, POLL_MS, put);
  const failed = processes.filter(({ error }) => error !== null);
  return (
    <>
      {problem !== null && (
        <Note tone="warn">
          <p>{problem}</p>
        </Note>
      )}
      {failed.length > 0 && (
        <Note tone="warn">
          <p>Not every process uses set {version}:</p>
          <ul class="plain-list">
            {failed.map(({ id, host, version: used, error }) => (
              <li key={id}>
                <code>{host}</code> goes on with set {used}: {error}
              </li>
            ))}
          </ul>
        </Note>
      )}
      {failed.length === 0 && behind.length > 0 && (
        <p class="small muted" role="status">
          {processes.length - behind.length} of {processes.length} processes use set {version}.
        </p>
      )}
    </>
  );
}
