/** What a form of settings stands in, anew once a draft is applied. The bar of the draft stands at the end of the page. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { appliedVersion } from '../core/draft.js';
import { useResource } from '../core/resource.js';
import type { ListedSetting } from '../core/setting.js';
import { may } from '../core/state.js';
import { Note } from './alert.js';
import { ConfigNotes, type ConfigState } from './config-notes.js';
import { View } from './view.js';

export interface StoredSettings {
  /** Of the set that the settings show. */
  readonly stored_version: number;
  readonly settings: readonly ListedSetting[];
}

interface StoredFormProps<T> {
  /** Of the settings. */
  readonly path: string;
  /** Every process uses what was applied here. */
  readonly onFollowed?: () => void;
  readonly children: (data: T) => ComponentChildren;
}

export function StoredForm<T extends StoredSettings>({ path, onFollowed, children }: StoredFormProps<T>) {
  const config = useResource<ConfigState>('/api/config');
  const settings = useResource<T>(path);
  const applied = appliedVersion.value;
  const [appliedBefore] = useState(applied);
  useEffect(() => {
    if (applied > appliedBefore) void Promise.all([config.reload(), settings.reload()]);
  }, [applied]);
  // What is in use is known once the processes have followed, also what another operator has changed.
  const newest = config.data?.version;
  const isFollowed = config.data?.processes.every((one) => one.version === newest);
  const isBehind = settings.data !== undefined && newest !== undefined && settings.data.stored_version < newest;
  useEffect(() => {
    if (isBehind || (applied > 0 && isFollowed)) void settings.reload(true);
  }, [isFollowed, isBehind]);
  useEffect(() => {
    if (applied > 0 && isFollowed) onFollowed?.();
  }, [isFollowed, newest]);
  return (
    <View of={settings} rows={10}>
      {(data) => (
        <>
          {config.data !== undefined && <ConfigNotes state={config.data} put={config.put} />}
          {!may('admin') && (
            <Note>
              <p>Changing settings needs the role admin.</p>
            </Note>
          )}
          {children(data)}
        </>
      )}
    </View>
  );
}
