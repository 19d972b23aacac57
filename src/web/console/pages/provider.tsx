/** One identity provider: how it is set up, a test without a person, and traces of sign-ins. */
import { useState } from 'preact/hooks';
import type { PageProps } from '../core/page.js';
import { useResource } from '../core/resource.js';
import { may } from '../core/state.js';
import { CheckRunner, type ShownCheck } from '../parts/check-run.js';
import { Badge, Copy, Details } from '../parts/details.js';
import { DraftBar } from '../parts/draft-bar.js';
import { Heading } from '../parts/heading.js';
import { View } from '../parts/view.js';
import { Setup } from './provider/setup.js';
import type { ShownProvider } from './provider/shown-provider.js';
import { ProviderState } from './provider/state.js';
import { TraceDialog } from './provider/trace-dialog.js';
import { Traces } from './provider/traces.js';

export function Page({ params }: PageProps) {
  const name = params['provider']!;
  const shown = useResource<{ provider: ShownProvider }>(`/api/providers/${encodeURIComponent(name)}`);
  const [isOpening, setOpening] = useState(false);
  const isNew = name.startsWith('custom:') && shown.fault?.status === 404;
  const provider = isNew ? undefined : shown.data?.provider;
  const isUsable = provider?.enabled === true && provider.problem === null;
  const title = provider?.title ?? name.replace(/^custom:/, '');
  const setup = (known: ShownProvider | null) => (
    <Setup
      {...{ name, title }}
      callback={known?.callback_url ?? null}
      isNew={known === null}
      onFollowed={() => void shown.reload(true)}
    />
  );
  return (
    <>
      <Heading title={title} about={<a href="/providers">All providers</a>} of={isNew ? { fault: null } : shown}>
        {isUsable && may('admin') && (
          <button type="button" onClick={() => setOpening(true)}>
            Trace a sign-in
          </button>
        )}
      </Heading>
      {isNew ? (
        <>
          <p class="muted">
            Not there yet. Applications will name it <code>{name}</code>.
          </p>
          {setup(null)}
        </>
      ) : (
        <View of={shown}>
          {(data) => (
            <>
              <Facts provider={data.provider} />
              {data.provider.source === 'configuration' && setup(data.provider)}
              <Test provider={data.provider} />
              <section>
                <h2>Traces</h2>
                {may('admin') ? (
                  <Traces path={`/api/providers/${encodeURIComponent(name)}/traces`} />
                ) : (
                  <p class="muted">Traces show what the provider tells about a person. They need the role admin.</p>
                )}
              </section>
            </>
          )}
        </View>
      )}
      <DraftBar />
      {isOpening && <TraceDialog provider={name} onClose={() => setOpening(false)} />}
    </>
  );
}

const Facts = ({ provider }: { readonly provider: ShownProvider }) => (
  <Details
    rows={[
      ['State', <ProviderState provider={provider} />],
      ['Name for applications', <Copy text={provider.name} what="the name" />],
      ['Client', provider.client_id],
      [
        'Callback, to register there',
        // Else it stands beside the steps.
        (provider.source === 'database' || !provider.is_callback_usual) && (
          <>
            <Copy text={provider.callback_url} what={`the callback of ${provider.name}`} />
            {!provider.is_callback_usual && <Badge tone="warn">not where this server listens</Badge>}
          </>
        ),
      ],
      [
        'Set in',
        provider.settings_prefix === null ? 'the API of custom providers' : <code>{provider.settings_prefix}…</code>,
      ],
    ]}
  />
);

interface OfferedCheck {
  readonly name: string;
  readonly runs: readonly ShownCheck[];
}

/** `latchkey check provider`. */
function Test({ provider: { name, enabled } }: { readonly provider: ShownProvider }) {
  const list = useResource<{ checks: readonly OfferedCheck[] }>(enabled ? '/api/checks' : null);
  const runs = list.data?.checks.find((check) => check.name === 'provider')?.runs;
  return (
    <section>
      <h2>Test</h2>
      {enabled ? (
        <>
          <p>
            Asks the provider what it tells without a person: whether its addresses answer, its certificate and keys,
            whether it knows our client and secret, and its clock. A test and a trace use what is applied, not the
            draft.
          </p>
          <CheckRunner
            name="provider"
            argument={name}
            verb="Test"
            last={runs?.find(({ argument }) => argument === name)}
          />
        </>
      ) : (
        <p class="muted">It is off: there is nothing to test.</p>
      )}
    </section>
  );
}
