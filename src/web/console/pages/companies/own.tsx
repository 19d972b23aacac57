/** What is entered at the identity provider of a company, and where. */
import { Note } from '../../parts/alert.js';
import { Copy, CopyButton, Details } from '../../parts/details.js';
import { Marked } from '../provider/marked.js';
import type { CompanyGuide, OwnSaml } from './shown-company.js';

export const OwnValues = ({ own }: { readonly own: OwnSaml | null }) => (
  <section class="card">
    <h2>What to enter there</h2>
    {own === null ? (
      <Note tone="warn">
        <p>
          Sign-in at companies is off: set <code>AUTH_SAML_ENABLED</code> and <code>AUTH_SAML_PRIVATE_KEY</code>.
          Companies can be prepared before.
        </p>
      </Note>
    ) : (
      <Details
        rows={[
          ['Entity ID, audience', <Copy text={own.entity_id} what="the entity ID" />],
          ['Reply address (ACS)', <Copy text={own.acs_url} what="the reply address" />],
          ['Log-out address (SLO)', <Copy text={own.slo_url} what="the log-out address" />],
          [
            'Metadata',
            <>
              <Copy text={own.metadata_url} what="the metadata address" />{' '}
              <a href={own.download_url} target="_blank" rel="noopener noreferrer" download>
                Download
              </a>
            </>,
          ],
          [
            own.certificates.length > 1 ? 'Certificates' : 'Certificate',
            own.certificates.map((pem, i) => (
              <span key={pem} class="copy">
                {i === 0 ? 'the one in use' : 'the next one'}
                <CopyButton text={pem} what={i === 0 ? 'the certificate' : 'the next certificate'} />
              </span>
            )),
          ],
        ]}
      />
    )}
  </section>
);

export const Guides = ({ guides }: { readonly guides: readonly CompanyGuide[] }) => (
  <section class="card">
    <h2>What to click there</h2>
    {guides.map(({ title, register_at, steps, notes }) => (
      <details key={title}>
        <summary>{title}</summary>
        {register_at !== null && (
          <p>
            <a class="button plain" href={register_at} target="_blank" rel="noopener noreferrer">
              Open {title}
            </a>
          </p>
        )}
        <ol class="rules">
          {steps.map((step) => (
            <li key={step}>
              <Marked text={step} />
            </li>
          ))}
        </ol>
        <ul class="rules small">
          {notes.map((note) => (
            <li key={note}>
              <Marked text={note} />
            </li>
          ))}
        </ul>
      </details>
    ))}
    <p class="small muted">
      More in <code>docs/sso.md</code>.
    </p>
  </section>
);
