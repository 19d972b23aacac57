import { useState } from 'preact/hooks';
import { navigate } from '../../core/location.js';
import { Dialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { addressOfProvider, type ShownProvider } from './shown-provider.js';

interface AddProps {
  readonly providers: readonly ShownProvider[];
  readonly onClose: () => void;
}

/** Asks how applications will name a new provider, and opens its form. */
export function AddDialog({ providers, onClose }: AddProps) {
  const [typed, setTyped] = useState('');
  const name = `custom:${typed.trim()}`;
  const isTaken = providers.some((provider) => provider.name === name);
  return (
    <Dialog title="Add an OpenID Connect provider" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isTaken) navigate(addressOfProvider(name));
        }}
      >
        <p>
          Any identity provider with a discovery document: your own Keycloak, Authentik, Zitadel, Okta, Auth0, Cognito.
        </p>
        <Field
          label="Name"
          name="name"
          hint="small letters, digits and dashes"
          value={typed}
          pattern="\s*[a-z0-9]+(-[a-z0-9]+)*\s*"
          maxLength={40}
          required
          autocomplete="off"
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <p class="small muted" aria-live="polite">
          {isTaken ? (
            <>
              There is a provider <code>{name}</code> already.
            </>
          ) : (
            <>
              Applications will name it <code>{name}</code>. The name cannot be changed: identities of users have it.
            </>
          )}
        </p>
        <div class="actions">
          <button type="button" class="plain" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" disabled={isTaken}>
            Go on
          </button>
        </div>
      </form>
    </Dialog>
  );
}
