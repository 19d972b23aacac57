/** The languages in which a kind of mail has own words, and one more. */
import { useState } from 'preact/hooks';
import { type Contents, DEFAULT, sayLanguage } from './contents.js';

interface LanguagesProps {
  readonly contents: Contents;
  readonly chosen: string;
  readonly choose: (language: string) => void;
  readonly mayAdd: boolean;
}

/** Of the hosted pages; others can be typed. */
const usual = ['de', 'es', 'fr', 'pt', 'ar', 'it', 'nl', 'pl', 'tr', 'ja', 'zh', 'en'];
const TAG = /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/;

export function Languages({ contents, chosen, choose, mayAdd }: LanguagesProps) {
  const [typed, setTyped] = useState('');
  const known = [...new Set([DEFAULT, ...Object.keys(contents), chosen])];
  const tag = typed.trim().toLowerCase().replaceAll('_', '-');
  const add = () => {
    if (!TAG.test(tag)) return;
    choose(tag);
    setTyped('');
  };
  return (
    <div class="languages">
      <fieldset class="looks">
        <legend>Language</legend>
        {known.map((one) => (
          <label key={one} class="check">
            <input type="radio" name="mail-language" checked={one === chosen} onChange={() => choose(one)} />
            {sayLanguage(one)} {contents[one] !== undefined && <span class="small muted">own words</span>}
          </label>
        ))}
      </fieldset>
      {mayAdd && (
        <form
          class="add-language"
          onSubmit={(event) => {
            event.preventDefault();
            add();
          }}
        >
          <label class="field">
            <span>
              Another language <small>its tag</small>
            </span>
            <input
              list="mail-languages"
              value={typed}
              placeholder="de"
              autocomplete="off"
              autocapitalize="off"
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          </label>
          <datalist id="mail-languages">
            {usual.map((one) => (
              <option key={one} value={one}>
                {sayLanguage(one)}
              </option>
            ))}
          </datalist>
          <button type="submit" class="plain" disabled={!TAG.test(tag)}>
            Add
          </button>
        </form>
      )}
      <p class="small muted">
        A mail is in the language of <code>user_metadata.locale</code> or <code>.language</code>.
      </p>
    </div>
  );
}
