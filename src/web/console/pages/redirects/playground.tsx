/** What would this redirect_to do? */
import { useEffect, useState } from 'preact/hooks';
import { type ApiFault, asFault, isAbort, pathWith, send } from '../../core/api.js';
import { navigate, place } from '../../core/location.js';
import { Alert } from '../../parts/alert.js';
import { Badge, Copy, Details } from '../../parts/details.js';

interface Verdict {
  readonly is_allowed: boolean;
  readonly reason: string;
  readonly leads_to: string;
  readonly parts: Readonly<Record<'scheme' | 'host' | 'port' | 'path' | 'query' | 'fragment', string>> | null;
  readonly site_url: string;
  readonly allow_list: readonly string[];
  readonly ineffective: readonly string[];
  readonly overridden_by: string | null;
}

/** Where an address would lead, by the rules that the API applies. */
export function Playground() {
  const candidate = place.value.query.get('redirect_to') ?? '';
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const [fault, setFault] = useState<ApiFault | null>(null);
  useEffect(() => {
    setFault(null);
    if (candidate === '') return setVerdict(null);
    const abort = new AbortController();
    const body = { redirect_to: candidate };
    send<Verdict>('POST', '/api/redirects/check', { body, signal: abort.signal }).then(
      ({ data }) => setVerdict(data),
      (error: unknown) => {
        if (!isAbort(error)) setFault(asFault(error));
      },
    );
    return () => abort.abort();
  }, [candidate]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    navigate(pathWith('/redirects', { redirect_to: String(form.get('redirect_to')).trim() }));
  };
  return (
    <>
      <form class="filters" onSubmit={submit}>
        <label class="field search">
          <span>redirect_to, as the application sends it</span>
          <input
            name="redirect_to"
            defaultValue={candidate}
            key={candidate}
            placeholder="https://app.example.com/welcome"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            data-search
            required
          />
        </label>
        <button type="submit">Check</button>
      </form>
      {fault !== null && <Alert fault={fault} />}
      {verdict !== null && <Shown verdict={verdict} candidate={candidate} />}
    </>
  );
}

function Shown({ verdict, candidate }: { readonly verdict: Verdict; readonly candidate: string }) {
  const { is_allowed, reason, leads_to, parts, site_url, allow_list, ineffective, overridden_by } = verdict;
  return (
    <>
      <section class="card" aria-live="polite">
        <h2>
          {is_allowed ? <Badge tone="ok">allowed</Badge> : <Badge tone="danger">refused</Badge>} {reason}
        </h2>
        <Details
          rows={[
            [
              'Leads to',
              <>
                <Copy text={leads_to} what="the target" />
                {!is_allowed && <p class="small muted">AUTH_SITE_URL, since the address above is refused.</p>}
              </>,
            ],
            [
              'Except',
              overridden_by && (
                <>
                  After a sign-in at a provider everybody goes to <code>{overridden_by}</code>
                  <p class="small muted">AUTH_EXTERNAL_REDIRECT_URL comes first.</p>
                </>
              ),
            ],
          ]}
        />
      </section>
      <section>
        <h2>As a browser reads it</h2>
        {parts === null ? (
          <p class="muted">
            <code>{candidate}</code> is no absolute address.
          </p>
        ) : (
          <Details
            rows={(['scheme', 'host', 'port', 'path', 'query', 'fragment'] as const).map((name) => [
              name,
              parts[name] && <code>{parts[name]}</code>,
            ])}
          />
        )}
      </section>
      <section>
        <h2>The rules</h2>
        <ol class="rules">
          <li>
            <code>{site_url}</code> and every path below its host <span class="muted">AUTH_SITE_URL</span>
          </li>
          {allow_list.map((pattern) => (
            <li key={pattern}>
              <code>{pattern}</code> {ineffective.includes(pattern) && <Badge tone="warn">can never match</Badge>}
            </li>
          ))}
        </ol>
        {allow_list.length === 0 && <p class="muted">AUTH_URI_ALLOW_LIST is empty.</p>}
      </section>
    </>
  );
}
