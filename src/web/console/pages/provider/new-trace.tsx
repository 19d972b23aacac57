import { send } from '../../core/api.js';
import { navigate } from '../../core/location.js';
import { openedTrace } from './shown-provider.js';

/** Opens a trace, and shows it. @param path of the traces of a provider or company. @throws ApiFault */
export async function showNewTrace(path: string, body: object): Promise<void> {
  const { data } = await send<{ id: string; url: string }>('POST', path, { body });
  openedTrace.value = { id: data.id, url: data.url };
  navigate(`/traces/${data.id}`);
}

/** @param how a sign-in is shown */
export const TraceAddress = ({ how }: { readonly how: 'step by step' | 'check by check' }) => (
  <p>
    You get an address that works once, within ten minutes. The sign-in of the person who opens it is shown {how}, and
    no other.
  </p>
);
