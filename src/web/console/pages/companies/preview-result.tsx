/** What would be known of a person, and what a sign-in would refuse. */
import { Note } from '../../parts/alert.js';
import { Details } from '../../parts/details.js';
import { Output } from '../../parts/output.js';
import { Time } from '../../parts/time.js';
import { checkTitles } from '../trace/words.js';

interface PreviewedCheck {
  readonly check: string;
  readonly fault: string | null;
  readonly found: string | null;
  readonly expected: string | null;
  readonly advice: string | null;
}

interface PreviewedPerson {
  readonly user_id: string;
  readonly user_id_from: string | null;
  readonly email: string;
  readonly email_from: string | null;
  readonly is_domain_of_company: boolean;
  readonly user_metadata: Readonly<Record<string, unknown>>;
  readonly app_metadata_sso: Readonly<Record<string, unknown>> | null;
  readonly shortened: readonly string[];
  readonly unmapped: readonly { readonly name: string; readonly values: readonly string[] }[];
  readonly refusal: { readonly message: string; readonly advice: string } | null;
}

export interface Preview {
  readonly tested_at: string | null;
  readonly checks: readonly PreviewedCheck[];
  readonly person: PreviewedPerson | null;
}

export const PreviewResult = ({ preview: { tested_at, checks, person } }: { readonly preview: Preview }) => (
  <div role="status" class="stack">
    {tested_at !== null && (
      <p class="small muted">
        Of the test that ended <Time at={tested_at} />.
      </p>
    )}
    <Faults checks={checks} isRead={person !== null} />
    {person !== null && <Person person={person} />}
  </div>
);

function Faults({ checks, isRead }: { readonly checks: readonly PreviewedCheck[]; readonly isRead: boolean }) {
  const failed = checks.filter(({ fault }) => fault !== null);
  if (failed.length === 0) {
    return (
      <Note tone="ok">
        <p>Signature, addresses and times are as a sign-in needs them.</p>
      </Note>
    );
  }
  return (
    <Note tone="warn">
      <p>{isRead ? 'Shown all the same, but a sign-in would refuse it:' : 'It cannot be read:'}</p>
      <ul class="rules">
        {failed.map(({ check, fault, found, expected, advice }) => (
          <li key={check}>
            <strong>{checkTitles[check] ?? check}:</strong> {fault}.{' '}
            {found && (
              <>
                Found: <code class="break">{found}</code>.{' '}
              </>
            )}
            {expected !== null && (
              <>
                Expected: <code class="break">{expected}</code>.{' '}
              </>
            )}
            {advice}
          </li>
        ))}
      </ul>
    </Note>
  );
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);
const source = (from: string | null) => from !== null && <span class="small muted break"> from {from}</span>;

const Person = ({ person }: { readonly person: PreviewedPerson }) => (
  <>
    {person.refusal !== null && (
      <Note tone="warn">
        <p>
          {person.refusal.message}. {person.refusal.advice}
        </p>
      </Note>
    )}
    <Details
      rows={[
        [
          'User id',
          <>
            <code class="break">{person.user_id || 'none'}</code>
            {source(person.user_id_from)}
          </>,
        ],
        [
          'Address',
          <>
            <bdi>{person.email || 'none'}</bdi>
            {source(person.email_from)}
          </>,
        ],
        [
          'Its domain',
          person.email !== '' && (person.is_domain_of_company ? 'is of the company' : 'is none of the company'),
        ],
        ['First value only', person.shortened.length > 0 && `${person.shortened.join(', ')}: say array to keep all`],
      ]}
    />
    <h3>user_metadata of a new account</h3>
    <Output label="user_metadata" text={json(person.user_metadata)} />
    <h3>app_metadata.sso</h3>
    {person.app_metadata_sso === null ? (
      <p class="muted">The mapping has no claim with the target app_metadata.</p>
    ) : (
      <Output label="app_metadata.sso" text={json(person.app_metadata_sso)} />
    )}
    <h3>Attributes that nothing maps</h3>
    {person.unmapped.length === 0 ? (
      <p class="muted">None.</p>
    ) : (
      <Details rows={person.unmapped.map(({ name, values }) => [name, values.join(', ') || 'without a value'])} />
    )}
  </>
);
