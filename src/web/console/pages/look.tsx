/** How the hosted pages look: name, logo, colours, words, beside the sign-in page as it would be. */
import { useState } from 'preact/hooks';
import type { ChangeFault } from '../core/draft.js';
import { changesOf, usePreview } from '../core/draft-preview.js';
import { Note } from '../parts/alert.js';
import { DraftFaults } from '../parts/draft-faults.js';
import { Heading } from '../parts/heading.js';
import { PreviewFrame } from '../parts/preview-frame.js';
import { Radios } from '../parts/radios.js';
import { SettingGroups, SettingsForm } from '../parts/settings-form.js';
import { View } from '../parts/view.js';

export const Page = () => (
  <>
    <Heading title="Look" about="Name, logo, colours and words of the hosted pages." />
    <SettingsForm
      form="look"
      title="Look"
      show={(data) => (
        <div class="look-page">
          <div>
            <SettingGroups {...data} title="Look" />
          </div>
          <SignInPreview version={data.stored_version} />
        </div>
      )}
    />
  </>
);

interface ShownPage {
  readonly html: string;
  readonly is_on: boolean;
  readonly faults: readonly ChangeFault[];
}

const schemes = [
  ['light', 'light'],
  ['dark', 'dark'],
] as const;
const widths = [
  ['phone', 'phone'],
  ['desktop', 'desktop'],
] as const;
const languages = ['en', 'de', 'es', 'fr', 'pt', 'ar'] as const;
/** What decides how the page looks. */
const isOfPages = (name: string): boolean =>
  /^AUTH_(PAGES|EXTERNAL|OAUTH_SERVER_PAGE)_|SITE_URL$|DISABLE_SIGNUP$/.test(name);

function SignInPreview({ version }: { readonly version: number }) {
  const [scheme, setScheme] = useState<'light' | 'dark'>('light');
  const [width, setWidth] = useState<'phone' | 'desktop'>('phone');
  const [language, setLanguage] = useState('en');
  const page = usePreview<ShownPage>(
    { path: '/api/look/preview', draftPath: '/api/look/preview', fields: { scheme, language } },
    changesOf(isOfPages),
    version,
  );
  return (
    <section class="card look-preview">
      <h2>Preview</h2>
      <div class="deeds">
        <Radios legend="Width" name="preview-width" choices={widths} chosen={width} choose={setWidth} />
        <Radios legend="Scheme" name="preview-scheme" choices={schemes} chosen={scheme} choose={setScheme} />
        <label class="field language">
          <span>Language</span>
          <select value={language} onChange={(event) => setLanguage(event.currentTarget.value)}>
            {languages.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      </div>
      <View of={page}>
        {({ html, is_on, faults }) => (
          <>
            <div role="status">
              {!is_on && (
                <Note>
                  <p>
                    The hosted pages are off, so this is not seen yet:{' '}
                    <a href="/sign-in-rules?setting=AUTH_PAGES_ENABLED">switch them on</a>.
                  </p>
                </Note>
              )}
              <DraftFaults faults={faults} />
            </div>
            <div class={`screen ${width}`}>
              <PreviewFrame html={html} title={`The sign-in page, ${width}, ${scheme}`} look={scheme} />
            </div>
          </>
        )}
      </View>
    </section>
  );
}
