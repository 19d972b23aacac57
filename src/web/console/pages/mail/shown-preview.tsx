/** A mail as it would be sent: subject, HTML in a light or dark mail program, plain text. */
import { useState } from 'preact/hooks';
import type { ChangeFault } from '../../core/draft.js';
import type { Shown } from '../../core/resource.js';
import { Note } from '../../parts/alert.js';
import { Badge } from '../../parts/details.js';
import { DraftFaults } from '../../parts/draft-faults.js';
import { Output } from '../../parts/output.js';
import { PreviewFrame } from '../../parts/preview-frame.js';
import { Radios } from '../../parts/radios.js';
import { View } from '../../parts/view.js';
import type { ShownTemplate } from './shown-template.js';

export interface ShownMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly problems: readonly string[];
  readonly unknown: readonly string[];
  /** Of a draft. */
  readonly faults?: readonly ChangeFault[];
}

const looks = [
  ['light', 'HTML, light'],
  ['dark', 'HTML, dark'],
  ['plain', 'Plain text'],
] as const;

interface PreviewProps {
  readonly of: Shown<ShownMail>;
  readonly scheme: 'light' | 'dark';
  readonly setScheme: (scheme: 'light' | 'dark') => void;
  readonly template: ShownTemplate;
}

export function ShownPreview({ of, scheme, setScheme, template }: PreviewProps) {
  const [isPlain, setPlain] = useState(false);
  const choose = (look: 'light' | 'dark' | 'plain') => {
    setPlain(look === 'plain');
    if (look !== 'plain') setScheme(look);
  };
  return (
    <>
      <Radios
        legend="How it is shown"
        name="look"
        choices={looks}
        chosen={isPlain ? 'plain' : scheme}
        choose={choose}
      />
      <View of={of}>
        {({ subject, text, html, problems, unknown, faults = [] }) => (
          <>
            <p class="mail-subject break">
              <span class="muted">Subject</span> <strong>{subject}</strong>{' '}
              {!template.is_sent && <Badge>off by its setting</Badge>}
            </p>
            <div role="status">
              <DraftFaults faults={faults} />
              {problems.map((problem) => (
                <Note key={problem} tone="warn">
                  {problem}
                </Note>
              ))}
              {unknown.length > 0 && (
                <Note tone="warn">
                  This mail never has {unknown.map((name) => `.${name}`).join(', ')}: it prints nothing there.
                </Note>
              )}
            </div>
            {isPlain ? (
              <Output label="The mail in plain text" text={text} />
            ) : (
              <PreviewFrame html={html} title={`The mail ${template.in_words}`} look={`mail ${scheme}`} />
            )}
          </>
        )}
      </View>
    </>
  );
}
