/** A sign-in at a provider, step by step, while it happens and for a day. */
import { pathWith } from '../core/api.js';
import type { PageProps } from '../core/page.js';
import { usePolling } from '../core/polling.js';
import { useResource } from '../core/resource.js';
import { Note } from '../parts/alert.js';
import { Copy } from '../parts/details.js';
import { Heading } from '../parts/heading.js';
import { Time } from '../parts/time.js';
import { Empty, View } from '../parts/view.js';
import { addressOfProvider, type FollowedTrace, isOfCompany, openedTrace } from './provider/shown-provider.js';
import { TraceBadge } from './provider/trace-badge.js';
import { Steps } from './trace/steps.js';

const POLL_MS = 1000;

export function Page({ params }: PageProps) {
  const path = `/api/traces/${params['trace_id']}`;
  const shown = useResource<FollowedTrace>(path);
  const trace = shown.data;
  const isLive = trace?.state === 'waiting' || trace?.state === 'running';
  const next = trace && pathWith(path, { known: String(trace.steps.length) });
  usePolling<FollowedTrace>(isLive && next !== undefined ? next : null, POLL_MS, (news) => {
    shown.put({ ...news, steps: [...(trace?.steps ?? []), ...news.steps] });
  });
  return (
    <>
      <Heading
        title="Sign-in trace"
        about={
          trace && (
            <a href={addressOfProvider(trace.provider)}>{isOfCompany(trace.provider) ? 'Company' : trace.provider}</a>
          )
        }
      />
      <View of={shown} rows={8}>
        {(data) => (
          <>
            <p role="status">
              <TraceBadge state={data.state} />{' '}
              <span class="small muted">
                {data.is_dry ? 'Dry run' : 'Real sign-in'}, opened by {data.operator_name} <Time at={data.created_at} />
              </span>
            </p>
            <Standing trace={data} />
            {data.steps.length > 0 && <Steps steps={data.steps} />}
          </>
        )}
      </View>
    </>
  );
}

/** What is waited for, and what is to be done. */
function Standing({ trace: { id, provider, state, is_dry, expires_at } }: { readonly trace: FollowedTrace }) {
  const again = (
    <p>
      <a href={addressOfProvider(provider)}>Open another one</a>
    </p>
  );
  if (state === 'expired') return <Empty title="Its address was not opened within ten minutes">{again}</Empty>;
  if (state === 'abandoned') {
    return (
      <Note tone="warn">
        <p>
          The browser did not come back from the provider within ten minutes. The provider may have shown an error:
          whether {isOfCompany(provider) ? 'our reply address' : 'the callback'} is registered there, letter by letter,
          is the first thing to look at.
        </p>
        {again}
      </Note>
    );
  }
  if (state === 'running') {
    return (
      <Note>
        <p>Under way: the steps appear by themselves.</p>
      </Note>
    );
  }
  if (state !== 'waiting') return null;
  const { value: opened } = openedTrace;
  if (opened?.id !== id) {
    return (
      <Empty title="Waits for its address to be opened">
        <p>
          The address was shown to whoever opened the trace, and works until <Time at={expires_at} isExact />.
        </p>
        {again}
      </Empty>
    );
  }
  return (
    <Note>
      <p>
        {is_dry
          ? 'Sign in at the provider with this address. It ends before anything about an account is written.'
          : 'Sign in at the provider with this address. The browser is signed in to the application, and an account may be made.'}{' '}
        It works once, until <Time at={expires_at} isExact />.
      </p>
      <p>
        <a class="button" href={opened.url} target="_blank" rel="noopener noreferrer">
          Open in a new tab
        </a>
      </p>
      <p class="small">
        For another browser: <Copy text={opened.url} what="the address of the trace" />
      </p>
    </Note>
  );
}
