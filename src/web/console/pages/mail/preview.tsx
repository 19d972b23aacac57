/** One mail: its HTML in a frame without origin and scripts, its plain text, and a test mail. */
import { useState } from 'preact/hooks';
import { pathWith } from '../../core/api.js';
import { useResource } from '../../core/resource.js';
import { operator } from '../../core/state.js';
import { Note } from '../../parts/alert.js';
import { CheckRunner } from '../../parts/check-run.js';
import { Badge, Details } from '../../parts/details.js';
import { Output } from '../../parts/output.js';
import { PreviewFrame } from '../../parts/preview-frame.js';
import { View } from '../../parts/view.js';
import type { ShownTemplate } from './shown-template.js';

interface Preview {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly problems: readonly string[];
}

interface PreviewProps {
  readonly template: ShownTemplate;
  readonly language: string;
  /** More user_metadata of the example, as JSON. */
  readonly data: string;
}

const looks = [
  ['light', 'HTML, light'],
  ['dark', 'HTML, dark'],
  ['plain', 'Plain text'],
] as const;
type Look = (typeof looks)[number][0];

export function MailFrame({ template, language, data }: PreviewProps) {
  const { kind, has_own_template, is_notice, is_sent } = template;
  const [look, setLook] = useState<Look>('light');
  const path = `/api/mail/templates/${kind}`;
  const scheme = look === 'dark' ? 'dark' : null;
  const preview = useResource<Preview>(pathWith(path, { language, data, scheme }));
  const name = operator.value?.name ?? '';
  return (
    <View of={preview}>
      {({ subject, text, html, problems }) => (
        <>
          <Details
            rows={[
              ['Subject', subject],
              ['Template', has_own_template ? 'your own' : 'built in'],
              ['Sent', is_sent ? is_notice ? 'yes, after the change' : 'yes' : <Badge>off by its setting</Badge>],
            ]}
          />
          {problems.map((problem) => (
            <Note key={problem} tone="warn">
              {problem}
            </Note>
          ))}
          <fieldset class="looks">
            <legend class="hidden">How it is shown</legend>
            {looks.map(([value, label]) => (
              <label key={value} class="check">
                <input type="radio" name="look" checked={look === value} onChange={() => setLook(value)} />
                {label}
              </label>
            ))}
          </fieldset>
          {look === 'plain' ? (
            <Output label="The mail in plain text" text={text} />
          ) : (
            <PreviewFrame html={html} title={`The mail ${template.in_words}`} look={`mail ${look}`} />
          )}
          <h3>Test mail</h3>
          {name.includes('@') ? (
            <>
              <p class="small muted">It goes to {name} alone, through the mail server of the settings.</p>
              <CheckRunner name="smtp" argument={kind} verb="Send me this mail" />
            </>
          ) : (
            <p class="small muted">
              Test mails go to the operator alone, and your name is no email address: an owner creates an operator whose
              name is one.
            </p>
          )}
        </>
      )}
    </View>
  );
}
