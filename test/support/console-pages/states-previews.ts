/** States of the pages that show a draft: words of mails, a test mail, the look of the hosted pages. */
import type { Page } from 'playwright-core';
import type { PageOptions } from '../console-page.js';
import { makePng } from '../images.js';
import type { ConsoleState } from './console-state.js';
import type { StatePages } from './state-pages.js';

async function openPreview(pages: StatePages, options: PageOptions, path: string) {
  const opened = await pages.enter('owner', { ...options, path });
  await innerFrame(opened.page).locator('body *').first().waitFor();
  return opened;
}

/** What the frame of a preview shows. */
export const innerFrame = (page: Page) => page.frameLocator('main iframe').frameLocator('iframe');

const MAIL = '/mail?tab=templates&kind=recovery';

export const previewStates: readonly ConsoleState[] = [
  {
    page: '/mail',
    state: 'words',
    shows: 'main .draft-bar',
    async reach(pages, options) {
      const opened = await openPreview(pages, options, MAIL);
      const { page } = opened;
      await page.getByLabel('Another language').fill('de');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByLabel('Subject', { exact: true }).fill('Neues Passwort');
      await page.getByRole('textbox', { name: 'Body' }).fill('<h1>Hallo {{ .Data.full_name }}</h1><p>{{ .Token }}</p>');
      await page.getByText('Variables', { exact: true }).click();
      await innerFrame(page).getByRole('heading', { name: 'Hallo Ada Example' }).waitFor();
      return opened;
    },
  },
  {
    page: '/mail',
    state: 'words-refused',
    shows: 'main .shown .alert.warn',
    async reach(pages, options) {
      const opened = await openPreview(pages, options, MAIL);
      await opened.page.getByRole('button', { name: 'Begin with the built-in words' }).click();
      await opened.page.getByRole('textbox', { name: 'Body' }).fill('<p>{{ if .Token }}</p>');
      return opened;
    },
  },
  {
    page: '/mail',
    state: 'words-plain-text',
    shows: 'main .shown .output',
    async reach(pages, options) {
      const opened = await openPreview(pages, options, MAIL);
      await opened.page.getByLabel('Plain text').check();
      return opened;
    },
  },
  {
    page: '/mail',
    state: 'test-failed',
    shows: 'main .test-mail .alert.warn',
    async reach(pages, options) {
      const opened = await pages.enter('owner', { ...options, path: '/mail?tab=settings' });
      const { page } = opened;
      await page.getByLabel('Host').fill('127.0.0.1');
      await page.getByLabel('Port').fill('1');
      await page.getByLabel('From address').fill('no-reply@example.com');
      await page.getByRole('button', { name: 'Send me a test mail' }).click();
      await page.getByText('It failed at: connecting').waitFor();
      return opened;
    },
  },
  {
    page: '/mail',
    state: 'words-for-viewers',
    shows: 'main .words textarea:disabled',
    reach: (pages, options) => pages.enter('viewer', { ...options, path: MAIL }),
  },
  {
    page: '/look',
    state: 'changed',
    shows: 'main .image-control img',
    async reach(pages, options) {
      const opened = await openPreview(pages, options, '/look');
      const { page } = opened;
      await page.getByLabel('Name of your service').fill('Example Shop');
      const file = { name: 'logo.png', mimeType: 'image/png', buffer: makePng(96, 32, [11, 107, 58]) };
      await page.getByLabel('Logo', { exact: true }).setInputFiles(file);
      await page
        .getByLabel(/^Buttons and links/)
        .first()
        .fill('#0b6b3a');
      await innerFrame(page).getByAltText('Example Shop').waitFor();
      return opened;
    },
  },
  {
    page: '/look',
    state: 'contrast-too-low',
    shows: 'main .look-preview .alert.warn code',
    async reach(pages, options) {
      const opened = await openPreview(pages, options, '/look');
      await opened.page
        .getByLabel(/^Buttons and links/)
        .first()
        .fill('#8fb0ff');
      await opened.page.getByLabel('desktop').check();
      await opened.page.getByText(/leaves a contrast of/).waitFor();
      // At the end of the page its bar lies below all fields; elsewhere it covers a part of one.
      await opened.page.locator('html').evaluate((root) => root.scrollTo(0, root.scrollHeight));
      return opened;
    },
  },
];
