/** Platforms with accounts of everybody. */
import type { ProviderGuide } from './guide.js';

export const platformGuides = {
  apple: {
    title: 'Apple',
    registerAt: 'https://developer.apple.com/account/resources/identifiers/list',
    steps: [
      'Under *Identifiers*, register an *App ID* with the capability *Sign in with Apple*.',
      'Register a *Services ID*: its identifier is the client ID here.',
      'Configure *Sign in with Apple* of the Services ID: choose the App ID, add your domain, and the redirect address as *Return URL*.',
      'Under *Keys*, make a key with *Sign in with Apple* and download it. The content of the .p8 file is the secret here.',
      'Set the team ID and the ID of the key under *All providers*: client secrets are signed with them as needed.',
    ],
    notes: [
      'It needs a paid membership of the Apple Developer Program.',
      'Apple refuses redirect addresses without https.',
      'Apple answers with a form: a proxy has to pass POST /callback.',
      'A finished client secret in place of the key expires after six months at most.',
    ],
  },
  azure: {
    title: 'Microsoft',
    registerAt: 'https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps/ApplicationsListBlade',
    steps: [
      'Under *App registrations*, choose *New registration*, and who may sign in.',
      'Choose *Web* as the platform, and enter the redirect address.',
      'Copy *Application (client) ID*: it is the client ID here.',
      'Under *Certificates & secrets*, make a *New client secret*, and copy its *Value*, not its ID.',
      'Under *Token configuration*, add the optional claims *email* and *xms_edov* to the ID token.',
      'For one tenant, set the address to https://login.microsoftonline.com/ and the ID of the tenant.',
    ],
    notes: [
      'Without a tenant anybody with a Microsoft account may sign in, and addresses count as verified only with xms_edov.',
      'Secrets expire: put the date into your calendar.',
    ],
  },
  facebook: {
    title: 'Facebook',
    registerAt: 'https://developers.facebook.com/apps/',
    steps: [
      '*Create app*, with the use case *Authenticate and request data from users with Facebook Login*.',
      'Under *Use cases*, customize it and add the permission *email*.',
      'Under *Facebook Login*, *Settings*, enter the redirect address in *Valid OAuth Redirect URIs*.',
      'Under *App settings*, *Basic*, copy *App ID* and *App secret*.',
    ],
    notes: ['Only people with a role in the app can sign in until it is published.'],
  },
  google: {
    title: 'Google',
    registerAt: 'https://console.cloud.google.com/auth/clients',
    steps: [
      'Choose or make a project, and fill in *Branding* and *Audience* of the Google Auth Platform.',
      'Under *Clients*, choose *Create client*, type *Web application*.',
      'Enter the redirect address under *Authorized redirect URIs*.',
      'Copy *Client ID* and *Client secret*; the secret is shown once.',
    ],
    notes: ['While the audience is *Testing*, only the test users listed there can sign in.'],
  },
  kakao: {
    title: 'Kakao',
    registerAt: 'https://developers.kakao.com/console/app',
    steps: [
      '*Create app*.',
      'Under *Kakao Login*, set *State* to *ON*.',
      'Under *Kakao Login*, *Consent items*, choose account_email, profile_nickname and profile_image.',
      'Under *App*, *Platform key*, open the *REST API key*, and enter the redirect address as *Redirect URI*.',
      'Copy the *REST API key*, which is the client ID here, and its *Client secret*, which has to be on.',
    ],
    notes: ['Only business applications may ask for account_email. Without it, admit users without an email address.'],
  },
  linkedin: {
    title: 'LinkedIn, before 2023',
    registerAt: 'https://www.linkedin.com/developers/apps',
    steps: ['Under *Auth*, add the redirect address, and copy *Client ID* and *Primary Client Secret*.'],
    replacedBy: 'linkedin_oidc',
  },
  linkedin_oidc: {
    title: 'LinkedIn',
    registerAt: 'https://www.linkedin.com/developers/apps',
    steps: [
      '*Create app*; it belongs to a page of a company.',
      'Under *Products*, request *Sign In with LinkedIn using OpenID Connect*.',
      'Under *Auth*, add the redirect address to *Authorized redirect URLs*.',
      'Copy *Client ID* and *Primary Client Secret*.',
    ],
  },
  snapchat: {
    title: 'Snapchat',
    registerAt: 'https://kit.snapchat.com/manage/',
    steps: [
      'Make a project, and switch on *Login Kit* with the display name, the avatar and the external ID.',
      'Add the redirect address to the *Redirect URIs* of Login Kit.',
      'Make the *Confidential OAuth2* client, and copy its ID and secret.',
    ],
    notes: [
      'Until Snapchat has approved the project, only its demo users can sign in, with a client ID of their own.',
      'Snapchat often returns no address: admit users without an email address.',
    ],
  },
  twitter: {
    title: 'X, OAuth 1.0a',
    registerAt: 'https://console.x.com/',
    steps: [
      'In the app, set up *User authentication settings*, and switch on *Request email from users*.',
      'Choose *Web App*, and enter the redirect address as *Callback URI*.',
      'Under *Keys and tokens*, copy *API Key* and *API Key Secret*.',
    ],
    notes: ['Only for applications that have access to version 1.1 of the API.'],
    replacedBy: 'x',
  },
  x: {
    title: 'X',
    registerAt: 'https://console.x.com/',
    steps: [
      '*Create App*, and set up *User authentication settings*.',
      'Switch on *Request email from users*, which needs the address of a privacy policy and of terms of service.',
      'Choose *Web App*, and enter the redirect address as *Callback URI*.',
      'Copy *Client ID* and *Client Secret* of OAuth 2.0, not the API key; they are shown once.',
    ],
    notes: ['For tests on this machine X takes http://127.0.0.1, but not http://localhost.'],
  },
} as const satisfies Readonly<Record<string, ProviderGuide>>;
