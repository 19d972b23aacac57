/** Services of developers, teams, games and music. */
import type { ProviderGuide } from './guide.js';

export const serviceGuides = {
  bitbucket: {
    title: 'Bitbucket',
    registerAt: 'https://bitbucket.org/account/workspaces/',
    steps: [
      'In the *Settings* of a workspace, under *OAuth consumers*, choose *Add consumer*.',
      'Enter the redirect address as *Callback URL*.',
      'Allow *Account: Read* and *Account: Email*.',
      'Copy *Key* and *Secret*: the key is the client ID here.',
    ],
  },
  discord: {
    title: 'Discord',
    registerAt: 'https://discord.com/developers/applications',
    steps: [
      '*New Application*.',
      'Under *OAuth2*, add the redirect address to *Redirects*, and save.',
      'Copy *Client ID*; *Reset Secret* shows the client secret once.',
    ],
  },
  figma: {
    title: 'Figma',
    registerAt: 'https://www.figma.com/developers/apps',
    steps: [
      '*Create a new app*, choose the team or organization that owns it, and copy *Client ID* and *Client secret*; the secret is shown once.',
      'Under *OAuth credentials*, add the redirect address.',
      'Under *OAuth scopes*, choose current_user:read.',
    ],
    notes: ['Figma reviews apps that people outside of your organization use.'],
  },
  fly: {
    title: 'Fly.io',
    registerAt: 'https://fly.io/docs/about/extensions',
    steps: [
      'Fly.io gives out OAuth applications itself: ask for one, and name the redirect address.',
      'Enter the client ID and the secret that you get.',
    ],
  },
  github: {
    title: 'GitHub',
    registerAt: 'https://github.com/settings/developers',
    steps: [
      'Under *OAuth Apps*, choose *New OAuth app*. For an organization, begin at its own developer settings.',
      'Enter the redirect address as *Authorization callback URL*.',
      'Copy *Client ID*, and *Generate a new client secret*; it is shown once.',
    ],
    notes: ['GitHub Enterprise: set the address of your server.'],
  },
  gitlab: {
    title: 'GitLab',
    registerAt: 'https://gitlab.com/-/user_settings/applications',
    steps: [
      '*Add new application*, confidential, with the scope read_user.',
      'Enter the redirect address as *Redirect URI*.',
      'Copy *Application ID* and *Secret*; the secret is shown once.',
    ],
    notes: ['Your own GitLab: begin there, and set its address.'],
  },
  keycloak: {
    title: 'Keycloak',
    registerAt: null,
    steps: [
      'In your realm, under *Clients*, choose *Create client*, type *OpenID Connect*.',
      'Switch on *Client authentication*, and *Standard flow*.',
      'Enter the redirect address under *Valid redirect URIs*.',
      'Under *Credentials*, copy *Client Secret*; the client ID is the one you chose.',
      'Set the address of the realm, such as https://keycloak.example.com/realms/main.',
    ],
    notes: ['Newer servers require scopes=openid of the application.'],
  },
  notion: {
    title: 'Notion',
    registerAt: 'https://www.notion.so/developers/connections',
    steps: [
      '*Create new connection*: a public one, for *Any workspace*, which cannot be changed later.',
      'Enter the redirect address under *Redirect URIs*.',
      'Under *Capabilities*, choose *Read user information including email addresses*.',
      'Copy *OAuth Client ID* and *OAuth Client Secret*.',
    ],
  },
  slack: {
    title: 'Slack, before 2021',
    registerAt: 'https://api.slack.com/apps',
    steps: ['Under *OAuth & Permissions*, add the redirect address; *Basic Information* has ID and secret.'],
    replacedBy: 'slack_oidc',
  },
  slack_oidc: {
    title: 'Slack',
    registerAt: 'https://api.slack.com/apps',
    steps: [
      '*Create New App*, *From scratch*.',
      'Under *OAuth & Permissions*, add the redirect address to *Redirect URLs*, and save.',
      'Add the *User Token Scopes* openid, profile and email.',
      'Under *Basic Information*, copy *Client ID* and *Client Secret*.',
    ],
    notes: ['Slack refuses redirect addresses without https.'],
  },
  spotify: {
    title: 'Spotify',
    registerAt: 'https://developer.spotify.com/dashboard',
    steps: [
      '*Create app*, for the *Web API*.',
      'Enter the redirect address under *Redirect URIs*.',
      'In the settings, copy *Client ID*, and *View client secret*.',
    ],
    notes: [
      'In Development Mode only listed people can sign in, and none has an address: admit users without one.',
      'Spotify never says that an address is verified: new users confirm it by mail.',
      'For tests on this machine Spotify takes http://127.0.0.1, but not http://localhost.',
    ],
  },
  twitch: {
    title: 'Twitch',
    registerAt: 'https://dev.twitch.tv/console/apps',
    steps: [
      '*Register Your Application*, category *Website Integration*, client type *Confidential*.',
      'Enter the redirect address under *OAuth Redirect URLs*.',
      'Under *Manage*, copy *Client ID*; *New Secret* shows the secret once.',
    ],
    notes: ['Your Twitch account needs two-factor authentication first.'],
  },
  workos: {
    title: 'WorkOS',
    registerAt: 'https://dashboard.workos.com/',
    steps: [
      'Make an organization with a connection.',
      'Under *Redirects*, add the redirect address.',
      'Copy *Client ID*, and under *API Keys* the secret key: it is the client secret here.',
    ],
    notes: ['Applications say with connection, organization or provider in the address where people sign in.'],
  },
  zoom: {
    title: 'Zoom',
    registerAt: 'https://marketplace.zoom.us/develop/create',
    steps: [
      '*Build App*, type *General App*, *User-managed*.',
      'Enter the redirect address as *OAuth Redirect URL* and in the *OAuth Allow Lists*.',
      'Under *Scopes*, add user:read:user.',
      'Copy *Client ID* and *Client Secret*.',
    ],
    notes: [
      'Development and production have a client ID and a secret each: those of development are for people of your account.',
    ],
  },
} as const satisfies Readonly<Record<string, ProviderGuide>>;
