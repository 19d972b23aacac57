/** How this server is registered at the identity provider of a company (SAML), as docs/sso.md has it. As of November 2026. */
import type { ProviderGuide } from './guide.js';

export const companyGuides: readonly ProviderGuide[] = [
  {
    title: 'Entra ID',
    registerAt: 'https://entra.microsoft.com',
    steps: [
      'Under *Enterprise applications*, choose *New application*, then *Create your own application*; then *Single sign-on*, *SAML*.',
      'In *Basic SAML Configuration*, enter the entity ID as *Identifier (Entity ID)*, the reply address as *Reply URL*, and the log-out address as *Logout Url*. Leave *Sign on URL* and *Relay State* empty.',
      'Under *SAML Certificates*, choose *Sign SAML assertion* with *SHA-256* as the signing option.',
      'For groups, choose *Add a group claim* under *Attributes & Claims*.',
      'Under *Users and groups*, add the people who may sign in.',
      'Add the company here with *App Federation Metadata Url* of *SAML Certificates*.',
    ],
    notes: ['People without a mail address there are refused: the claim emailaddress is empty.'],
  },
  {
    title: 'Okta',
    registerAt: 'https://login.okta.com',
    steps: [
      'Under *Applications*, choose *Create App Integration*, *SAML 2.0*.',
      'Enter the reply address as *Single sign-on URL*, and the entity ID as *Audience URI (SP Entity ID)*. *Name ID format* is *Persistent*.',
      'Under *Show Advanced Settings*, the assertion is *Signed*, with *RSA-SHA256* and *SHA256*.',
      'Add the attribute statements email = *user.email*, given_name = *user.firstName*, family_name = *user.lastName*, and for groups a group attribute statement groups.',
      'Under *Assignments*, add the people who may sign in.',
      'Add the company here with *Metadata URL* of the tab *Sign On*.',
    ],
    notes: [
      'A person whose Okta username changes gets a new account, unless the attribute subject-id is sent (docs/sso.md).',
      'For single log-out, choose *Allow application to initiate Single Logout*, enter the log-out address as *Single Logout URL* and the entity ID as *SP Issuer*, upload our certificate as *Signature Certificate*, and read the metadata again here.',
    ],
  },
  {
    title: 'Google Workspace',
    registerAt: 'https://admin.google.com/ac/apps/unified',
    steps: [
      'Under *Apps*, *Web and mobile apps*, choose *Add app*, *Add custom SAML app*.',
      'Under *Google Identity Provider details*, choose *Download metadata*: it is the file for this side.',
      'Enter the reply address as *ACS URL*, and the entity ID as *Entity ID*. Leave *Start URL* empty. *Name ID format* is *EMAIL*, *Name ID* is *Primary email*.',
      'Under *Attributes*, map *First name* to given_name, *Last name* to family_name, and under *Group membership* the groups to groups.',
      'Set *User access* to *ON* for the people who may sign in. It can take hours.',
      'Add the company here with the file, and with the name ID format emailAddress.',
    ],
    notes: [
      'The file has no address: give the new one before its certificate ends. Google has no single log-out.',
      'A person whose primary address changes gets a new account.',
    ],
  },
  {
    title: 'Keycloak',
    registerAt: null,
    steps: [
      'In the realm, under *Clients*, choose *Import client*, and give it our metadata file.',
      'In the tab *Keys*, *Client signature required* is on, with our certificate. In *Settings*, *Sign assertions* is on, with *RSA_SHA256*. In *Advanced*, *Logout Service POST Binding URL* is the log-out address.',
      'Under *Client scopes*, in the dedicated scope, *Configure a new mapper*: *User Property* with email as email, and *Group list* for groups.',
      'Add the company here with *SAML 2.0 Identity Provider Metadata*, a link in *Realm settings*.',
    ],
    notes: ['The metadata address of a Keycloak in your own network needs AUTH_OUTBOUND_PRIVATE_HOSTS.'],
  },
];
