import { Area, Choice, Field } from '../../parts/field.js';
import type { ShownClient } from './shown-client.js';

/** @param client undefined: a new one, whose type can still be chosen */
export const ClientFields = ({ client }: { readonly client?: ShownClient }) => (
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
        name="client_type"
        choices={[
          ['public', 'Public: an app in a browser or on a device'],
          ['confidential', 'Confidential: a server that keeps a secret'],
        ]}
      />
    )}
    <Area
      label="Redirect URIs"
      name="redirect_uris"
      hint="one a line"
      required={client?.grant_types.includes('authorization_code') ?? true}
    >
      {client?.redirect_uris.join('\n') ?? ''}
    </Area>
    <Field label="Home page" name="client_uri" type="url" defaultValue={client?.client_uri ?? ''} autocomplete="off" />
    <Field
      label="Scopes"
      name="scope"
      hint="with spaces; empty: any"
      defaultValue={client?.scope ?? ''}
      autocomplete="off"
    />
    <Area label="After a logout" name="post_logout_redirect_uris" hint="URIs, one a line">
      {client?.post_logout_redirect_uris?.join('\n') ?? ''}
    </Area>
  </>
);
