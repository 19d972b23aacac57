import { useState } from 'preact/hooks';
import { Area, Choice, Field } from '../../parts/field.js';
import { KeyFields } from './key-fields.js';
import { ServedFields } from './served-fields.js';
import type { ClientKind, ShownClient } from './shown-client.js';

const kinds: readonly (readonly [ClientKind, string])[] = [
  ['public', 'Public: an app in a browser or on a device'],
  ['confidential', 'Confidential: a server that keeps a secret'],
  ['machine', 'Machine: a program that acts for itself'],
];

/** @param client undefined: a new one, whose kind can still be chosen */
export function ClientFields({ client }: { readonly client?: ShownClient }) {
  const [kind, setKind] = useState<ClientKind>(client?.client_type ?? 'public');
  const needsRedirect = client?.grant_types.includes('authorization_code') ?? kind !== 'machine';
  // No one signs in at a machine.
  const isForPeople = client !== undefined || kind !== 'machine';
  return (
    <>
      <Field
        label="Name"
        name="client_name"
        hint="users see it"
        defaultValue={client?.client_name ?? ''}
        autocomplete="off"
        required
      />
      {client === undefined && (
        <Choice
          label="Type"
          name="kind"
          choices={kinds}
          value={kind}
          onChange={(chosen) => setKind(chosen as ClientKind)}
        />
      )}
      {isForPeople && (
        <Area label="Redirect URIs" name="redirect_uris" hint="one a line" required={needsRedirect}>
          {client?.redirect_uris.join('\n') ?? ''}
        </Area>
      )}
      <Field
        label="Home page"
        name="client_uri"
        type="url"
        defaultValue={client?.client_uri ?? ''}
        autocomplete="off"
      />
      <Field
        label="Scopes"
        name="scope"
        hint="with spaces; empty: any"
        defaultValue={client?.scope ?? ''}
        autocomplete="off"
      />
      {isForPeople && (
        <Area label="After a logout" name="post_logout_redirect_uris" hint="URIs, one a line">
          {client?.post_logout_redirect_uris?.join('\n') ?? ''}
        </Area>
      )}
      {kind !== 'public' && <KeyFields client={client} />}
      <ServedFields client={client} />
    </>
  );
}
