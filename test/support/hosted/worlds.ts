/** Servers with hosted pages in different configurations. Each has a database of its own, a mail server and a gateway. */
import { fileURLToPath } from 'node:url';
import type { ProviderName } from '../../../src/server/config/settings/external.js';
import { adminToken, asAdmin } from '../admin.js';
import { startFakeCaptcha } from '../captcha.js';
import { type ExternalFlow, openExternalFlow } from '../external-flow.js';
import { openFakeIdp } from '../fake-saml-idp.js';
import { freePort } from '../free-port.js';
import { startLeakService } from '../leaked-passwords.js';
import { oauthSettings } from '../oauth-client.js';
import { samlSettings } from '../saml-flow.js';
import { password } from '../server.js';
import { type FakeGateways, startFakeGateways } from '../sms-gateways.js';
import type { Test } from '../tap.js';
import { until } from '../until.js';

/** Where flows end. No request for it leaves the browser. */
export const APPLICATION = 'https://app.example.com';
/** Identity providers of companies. No request for them does either. */
export const COMPANIES = /^https:\/\/idp\.[a-z]+\.example\//;

export interface World extends ExternalFlow {
  /** As browsers see it. */
  readonly origin: string;
  /** An account with a password. @param more fields of POST /admin/users. @returns its address */
  addPerson(name: string, more?: Readonly<Record<string, unknown>>): Promise<string>;
  /** The latest code that was sent to a number, waited for. */
  nextText(phone: string): Promise<string>;
  /** Ends all intervals and delays. */
  forgetLimits(): Promise<unknown>;
}

interface Setup {
  readonly providers?: readonly ProviderName[];
  readonly settings?: (t: Test, origin: string) => Record<string, string> | Promise<Record<string, string>>;
  /** What is there from the beginning. */
  readonly fill?: (flow: ExternalFlow) => Promise<unknown>;
}

const NO_LIMITS = Object.fromEntries(
  ['EMAIL_SENT', 'SMS_SENT', 'TOKEN_REFRESH', 'OTP', 'VERIFY', 'AUTHORIZE', 'PASSKEY', 'OAUTH_AUTHORIZE', 'OAUTH_TOKEN']
    .concat(['SSO', 'OAUTH_DYNAMIC_CLIENT_REGISTER', 'OAUTH_DEVICE', 'ANONYMOUS_USERS', 'ORGANIZATIONS'])
    .map((name) => [`RATE_LIMIT_${name}`, '100000']),
);

const captcha = (provider: 'hcaptcha' | 'turnstile'): Setup => ({
  settings: async (t) => ({
    ...(await startFakeCaptcha(t, provider)).settings,
    PAGES_CAPTCHA_SITE_KEY: '10000000-ffff-ffff-ffff-000000000001',
  }),
});

const setups = {
  /** Everything that adds something to a page. */
  full: {
    providers: ['google', 'github'],
    settings: (_t, origin) => ({
      ...oauthSettings({ OAUTH_SERVER_AUTHORIZATION_PATH: '' }),
      ORGANIZATIONS_ENABLED: 'true',
      SCIM_ENABLED: 'true',
      OAUTH_SERVER_CLIENT_CREDENTIALS_ENABLED: 'true',
      OAUTH_SERVER_DEVICE_GRANT_ENABLED: 'true',
      OAUTH_SERVER_SCOPES: 'files.read=Read your files,files.write=Change and delete your files',
      EXTERNAL_PHONE_ENABLED: 'true',
      PAGES_ACCOUNT_DELETION_ENABLED: 'true',
      PASSKEY_ENABLED: 'true',
      WEBAUTHN_RP_ID: 'localhost',
      WEBAUTHN_RP_DISPLAY_NAME: 'Example',
      WEBAUTHN_RP_ORIGINS: origin,
      MFA_PHONE_ENROLL_ENABLED: 'true',
      MFA_PHONE_VERIFY_ENABLED: 'true',
      MFA_WEB_AUTHN_ENROLL_ENABLED: 'true',
      MFA_WEB_AUTHN_VERIFY_ENABLED: 'true',
      MFA_RECOVERY_CODES_ENROLL_ENABLED: 'true',
      MFA_RECOVERY_CODES_VERIFY_ENABLED: 'true',
      MFA_TRUSTED_DEVICE_ENABLED: 'true',
      SECURITY_MANUAL_LINKING_ENABLED: 'true',
      SMTP_MAX_FREQUENCY: '60s',
    }),
  },
  /** Addresses and passwords only. */
  simple: {
    settings: () => ({
      EXTERNAL_EMAIL_MAGIC_LINK_ENABLED: 'false',
      SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION: 'true',
      MAILER_URLPATHS_RECOVERY: '/ui/link',
      MAILER_URLPATHS_EMAIL_CHANGE: '/ui/link',
      PASSWORD_MIN_LENGTH: '10',
    }),
  },
  /** Neither addresses nor new accounts. */
  providers: {
    providers: ['google', 'github', 'azure', 'linkedin'],
    settings: () => ({ EXTERNAL_EMAIL_ENABLED: 'false', DISABLE_SIGNUP: 'true' }),
  },
  /** A second factor is required. */
  strict: { settings: () => ({ MFA_REQUIRED: 'all' }) },
  /** It is required and cannot be had. */
  unenrollable: { settings: () => ({ MFA_REQUIRED: 'all', MFA_TOTP_ENROLL_ENABLED: 'false' }) },
  /** The usual password of tests has leaked. */
  leaked: {
    settings: async (t) => {
      const service = await startLeakService(t);
      service.leaked.add(password);
      return {
        PASSWORD_HIBP_ENABLED: 'true',
        PASSWORD_HIBP_API_URL: service.url,
        PASSWORD_LEAKED_ACTION: 'require_reset',
        SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD: 'true',
      };
    },
  },
  /** People of two companies sign in at their own providers; one of them lets them sign in otherwise, too. */
  company: {
    providers: ['google', 'github'],
    settings: () => samlSettings({ EXTERNAL_PHONE_ENABLED: 'true', ORGANIZATIONS_ENABLED: 'true' }),
    async fill(flow) {
      const add = asAdmin(flow);
      for (const [name, enforced] of [
        ['acme', false],
        ['only', true],
      ] as const) {
        const metadata_xml = openFakeIdp(`idp.${name}.example`).metadata();
        await add('POST', '/admin/sso/providers', {
          type: 'saml',
          metadata_xml,
          domains: [`${name}.example`],
          enforced,
        });
      }
    },
  },
  hcaptcha: captcha('hcaptcha'),
  turnstile: captcha('turnstile'),
  /** With a brand of its own. */
  branded: {
    providers: ['github'],
    settings: () => ({
      PAGES_NAME: 'Meadow Mail',
      PAGES_LOGO_FILE: fileURLToPath(new URL('../../../../test/support/hosted/logo.svg', import.meta.url)),
      PAGES_COLORS: 'background:#f2f0e6,surface:#fffdf5,text:#22301f,accent:#2f6b2f,border:#77806b',
      PAGES_COLORS_DARK: 'background:#10160f,surface:#182017,accent:#8fd28f,on-accent:#10160f',
      PAGES_RADIUS: '20',
      PAGES_FONT: "Georgia, 'Times New Roman', serif",
      PAGES_LINKS: 'privacy:https://example.com/privacy,terms:https://example.com/terms,help:mailto:help@example.com',
      PAGES_TEXTS: JSON.stringify({
        en: { 'sign_in.title': 'Welcome back' },
        de: { 'sign_in.title': 'Schön, dass du da bist' },
      }),
    }),
  },
} as const satisfies Record<string, Setup>;

export type WorldName = keyof typeof setups;

/** Opens worlds when they are first needed. */
export function openWorlds(t: Test): (name: WorldName) => Promise<World> {
  const open = new Map<WorldName, Promise<World>>();
  return (name) => {
    const world = open.get(name) ?? openWorld(t, setups[name]);
    open.set(name, world);
    return world;
  };
}

/** WebAuthn knows domains only, so browsers use localhost. */
async function openWorld(t: Test, { providers = [], settings, fill }: Setup): Promise<World> {
  const [port, gateways] = [await freePort(), await startFakeGateways(t)];
  const origin = `http://localhost:${port}`;
  const flow = await openExternalFlow(t, providers, {
    PAGES_ENABLED: 'true',
    PAGES_NAME: 'Example',
    API_PORT: String(port),
    API_EXTERNAL_URL: origin,
    SITE_URL: `${APPLICATION}/`,
    SMS_MAX_FREQUENCY: '0',
    ...NO_LIMITS,
    ...gateways.settings('twilio'),
    ...(await settings?.(t, origin)),
  });
  await fill?.(flow);
  let people = 0;
  return {
    ...flow,
    origin,
    async addPerson(name, more = {}) {
      const email = `${name}.${++people}@example.com`;
      const body = { email, password, email_confirm: true, ...more };
      const { status, body: answer } = await flow.call('POST', '/admin/users', { bearer: adminToken(), body });
      if (status !== 200) throw new Error(JSON.stringify(answer));
      return email;
    },
    nextText: (phone) => readText(gateways, phone),
    forgetLimits: () => flow.database.admin.query('delete from rate_counters'),
  };
}

async function readText({ requests }: FakeGateways, phone: string): Promise<string> {
  const find = () => requests.findLast(({ body }) => body.includes(phone));
  await until(() => find() !== undefined);
  return /\d{6}/.exec(find()!.fields['Body'] ?? '')?.[0] ?? '';
}
