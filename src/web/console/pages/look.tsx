/** How the hosted pages look: name, logo, colours, words, beside the sign-in page as it would be. */
import { useState } from 'preact/hooks';
import { changesOf, usePreview } from '../core/draft-preview.js';
import { Note } from '../parts/alert.js';
import { Heading } from '../parts/heading.js';
import { PreviewFrame } from '../parts/preview-frame.js';
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
  readonly faults: readonly { readonly name: string; readonly problem: string }[];
}

const schemes = ['light', 'dark'] as const;
const widths = ['phone', 'desktop'] as const;
const languages = ['en', 'de', 'es', 'fr', 'pt', 'ar'] as const;
/** What decides how the page looks. */
const isOfPages = (name: string): boolean =>
  /^AUTH_(PAGES|EXTERNAL|OAUTH_SERVER_PAGE)_|SITE_URL$|DISABLE_SIGNUP$/.test(name);

function SignInPreview({ version }: { readonly version: number }) {
  const [scheme, setScheme] = useState<(typeof schemes)[number]>('light');
  const [width, setWidth] = useState<(typeof widths)[number]>('phone');
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
        <Radios legend="Width" name="preview-width" values={widths} chosen={width} choose={setWidth} />
        <Radios legend="Scheme" name="preview-scheme" values={schemes} chosen={scheme} choose={setScheme} />
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
                    The hosted pages are off, so nobody sees this yet:{' '}
                    <a href="/sign-in-rules?setting=AUTH_PAGES_ENABLED">switch them on</a>.
                  </p>
                </Note>
              )}
              {faults.map(({ name, problem }) => (
                <Note key={name + problem} tone="warn">
                  <p class="break">
                    <code>{name}</code> {problem}
                  </p>
                </Note>
              ))}
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

interface RadiosProps<Value extends string> {
  readonly legend: string;
  readonly name: string;
  readonly values: readonly Value[];
  readonly chosen: Value;
  readonly choose: (value: Value) => void;
}

const Radios = <Value extends string>({ legend, name, values, chosen, choose }: RadiosProps<Value>) => (
  <fieldset class="looks">
    <legend class="hidden">{legend}</legend>
    {values.map((value) => (
      <label key={value} class="check">
        <input type="radio" name={name} checked={value === chosen} onChange={() => choose(value)} />
        {value}
      </label>
    ))}
  </fieldset>
);
