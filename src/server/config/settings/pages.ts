import { palette } from '../palette.js';
import { NAMES_FILE, type Section } from './setting.js';

/** The usual colours in the syntax of the settings. @param mode 0: light, 1: dark */
const writeColors = (mode: 0 | 1): string =>
  Object.entries(palette)
    .map(([role, colors]) => `${role}:${colors[mode]}`)
    .join(',');

export const pages = {
  pagesEnabled: {
    variable: 'PAGES_ENABLED',
    kind: 'bool',
    default: 'false',
    doc: 'Hosted pages under /ui/: sign-in, sign-up, recovery, second factors.',
    example: 'true',
  },
  pagesName: {
    variable: 'PAGES_NAME',
    kind: 'text',
    default: '',
    doc: 'Name of your service on the pages; without it, the host of SITE_URL.',
    example: 'Example',
  },
  pagesLogoFile: {
    variable: 'PAGES_LOGO_FILE',
    notStored: NAMES_FILE,
    kind: 'text',
    default: '',
    doc: 'Path of a logo of at most 100 kB: .svg, .png, .jpg or .webp. It comes before PAGES_LOGO.',
    example: '/etc/latchkey/logo.svg',
  },
  pagesLogo: {
    variable: 'PAGES_LOGO',
    kind: 'image',
    default: '',
    doc: 'The logo itself as a data URL in base64: PNG, JPEG, WebP, or SVG without scripts and links; at most 100 kB and 2048 pixels wide and high.',
    example:
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYGAAAAAEAAH2FzhVAAAAAElFTkSuQmCC',
  },
  pagesColors: {
    variable: 'PAGES_COLORS',
    kind: 'map',
    default: writeColors(0),
    doc: 'Colours in light mode: background, surface, text, muted, border, accent, on-accent, danger. Text needs a contrast of 4.5, a border 3.',
    example: 'accent:#0b6b3a,on-accent:#ffffff',
  },
  pagesColorsDark: {
    variable: 'PAGES_COLORS_DARK',
    kind: 'map',
    default: writeColors(1),
    doc: 'The same in dark mode.',
    example: 'accent:#5fd39a,on-accent:#0d1117',
  },
  pagesRadius: {
    variable: 'PAGES_RADIUS',
    kind: 'int',
    min: 0,
    max: 32,
    default: '8',
    doc: 'Radius of corners in pixels.',
    example: '0',
  },
  pagesFont: {
    variable: 'PAGES_FONT',
    kind: 'text',
    pattern: /^[A-Za-z0-9 ,"'-]*$/,
    patternInWords: 'must be names of fonts with commas between them',
    default: 'system-ui, sans-serif',
    doc: 'Font stack, of fonts that are installed where the page is seen.',
    example: 'Inter, system-ui, sans-serif',
  },
  pagesLinks: {
    variable: 'PAGES_LINKS',
    kind: 'map',
    default: '',
    doc: 'Links below each page: privacy, terms, help.',
    example: 'privacy:https://example.com/privacy,terms:https://example.com/terms',
  },
  oauthServerPageCss: {
    variable: 'OAUTH_SERVER_PAGE_CSS',
    notStored: NAMES_FILE,
    kind: 'text',
    default: '',
    doc: 'Path of a style sheet of at most 64 kB, which all pages load last. It may contain pictures, and load nothing.',
    example: '/etc/latchkey/pages.css',
  },
  pagesTexts: {
    variable: 'PAGES_TEXTS',
    kind: 'text',
    default: '',
    doc: 'Own wording as JSON: language → key → text. The keys are those of src/web/texts/en.json.',
    example: '{"en":{"sign_in.title":"Welcome back"}}',
  },
  pagesSessionSeconds: {
    variable: 'PAGES_SESSION_LIFETIME',
    kind: 'duration',
    positive: true,
    whole: true,
    default: '720h',
    doc: 'How long a browser that is not used stays signed in on the pages; sessions may end earlier.',
    example: '24h',
  },
  pagesAccountDeletionEnabled: {
    variable: 'PAGES_ACCOUNT_DELETION_ENABLED',
    kind: 'bool',
    default: 'false',
    doc: 'People may delete their account on /ui/account/delete. Your application learns it by the event user.deleted.',
    example: 'true',
  },
  pagesCaptchaSiteKey: {
    variable: 'PAGES_CAPTCHA_SITE_KEY',
    kind: 'text',
    pattern: /^[A-Za-z0-9_-]*$/,
    patternInWords: 'must be the public key of the captcha service',
    default: '',
    doc: 'Public key of the captcha service, which the pages need where AUTH_SECURITY_CAPTCHA_ENABLED is on.',
    example: '0x4AAAAAAADnPIDROrmt1Wwj',
  },
} as const satisfies Section;
