/** Addresses and numbers on the hosted pages, in a browser: which way they read, and where they break. */
import type { Locator } from 'playwright-core';
import { pageStates } from '../support/hosted/catalogue.js';
import { openDevices } from '../support/hosted/devices.js';
import { nameOfState } from '../support/hosted/page-state.js';
import { keepInside, Visitor } from '../support/hosted/visitor.js';
import { openWorlds } from '../support/hosted/worlds.js';
import { findChromium, openBrowser } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { equalSoon } from '../support/soon.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('how addresses are drawn, which only texts and styles can break; each page once: hosted-pages');

/** A small phone. */
const NARROW = 360;

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const browser = await openBrowser(t, executablePath);
  const openDevice = openDevices(t, browser);
  const worldOf = openWorlds(t);

  async function see(name: string, locale: string, width = NARROW): Promise<Visitor> {
    const state = pageStates.find((one) => nameOfState(one) === name)!;
    const { context, page } = await openDevice({ locale, viewport: { width, height: 740 } });
    await keepInside(context);
    const visitor = new Visitor(page, await worldOf(state.world));
    await state.reach(visitor);
    return visitor;
  }

  for (const locale of ['en', 'ar']) {
    t.test(`${locale}: a masked number reads from left to right and stays on one line`, async (t) => {
      const { page } = await see('mfa.text', locale);
      const number = page.locator('main p', { hasText: '…' }).first();
      for (const width of [NARROW, 300, 280, 260, 240, 220, 200]) {
        await page.setViewportSize({ width, height: 740 });
        const places = await placesOf(number, /\+[^\d]*\d{4}/);
        t.equal(new Set(places.map(({ line }) => line)).size, 1, `one line at ${width} pixels`);
        t.ok(isAscending(places), `${places.map(({ character }) => character).join('')} from left to right`);
      }
    });

    t.test(`${locale}: addresses of the chooser read from left to right and break between their parts`, async (t) => {
      const { page } = await see('sign-in.five-accounts', locale);
      const buttons = await page.locator('button[value="choose"]').all();
      t.equal(buttons.length, 5);
      for (const width of [NARROW, 320]) {
        await page.setViewportSize({ width, height: 740 });
        for (const button of buttons) {
          const places = await placesOf(button, /\S.*\S/);
          const text = places.map(({ character }) => character).join('');
          for (const line of new Set(places.map((place) => place.line))) {
            t.ok(isAscending(places.filter((place) => place.line === line)), `${text} from left to right`);
          }
          const breaks = places.flatMap(({ character, line }, i) => {
            const former = places[i - 1];
            return former === undefined || former.line === line ? [] : [`${former.character}${character}`];
          });
          t.same(
            breaks.filter((pair) => !pair.startsWith('.') && !pair.endsWith('@')),
            [],
            `${text} breaks only after dots and before its @`,
          );
        }
      }
      await equalSoon(t, () => page.locator('button[value="choose"] bdi').count(), 5, 'each is isolated');
    });
  }
}

interface Place {
  readonly character: string;
  readonly left: number;
  readonly line: number;
}

const isAscending = (places: readonly Place[]): boolean =>
  places.every(({ left }, i) => i === 0 || left > places[i - 1]!.left);

/** Where the characters of a text that have a width are drawn. @param part which of the text */
const placesOf = (element: Locator, part: RegExp): Promise<Place[]> =>
  element.evaluate((root, source) => {
    const characters: { character: string; left: number; line: number }[] = [];
    // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
    const { document, NodeFilter } = globalThis as any;
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text: string = node.textContent;
      for (let i = 0; i < text.length; i++) {
        const range = document.createRange();
        range.setStart(node, i);
        range.setEnd(node, i + 1);
        const { left, bottom } = range.getBoundingClientRect();
        characters.push({ character: text[i] ?? '', left, line: Math.round(bottom) });
      }
    }
    const whole = characters.map(({ character }) => character).join('');
    const found = new RegExp(source, 's').exec(whole)!;
    return characters
      .slice(found.index, found.index + found[0].length)
      .filter(({ character }) => !/[\u2060\u2066-\u2069]/.test(character));
  }, part.source);
