/** The style sheet that the settings of the pages make. */
import { completeColors } from '../config/palette.js';
import type { Config } from '../config/settings.js';

type BrandSettings = Pick<Config, 'pagesColors' | 'pagesColorsDark' | 'pagesRadius' | 'pagesFont'>;

/** Values are checked with the configuration, so none ends its declaration. */
export function renderBrand({ pagesColors, pagesColorsDark, pagesRadius, pagesFont }: BrandSettings): string {
  const declare = (given: Readonly<Record<string, string>>, mode: 'light' | 'dark') =>
    Object.entries(completeColors(given, mode))
      .map(([role, color]) => `--${role}:${color};`)
      .join('');
  // A line that only separates needs no contrast.
  const line = '--line:color-mix(in srgb,var(--border) 35%,transparent);';
  return (
    `:root{${declare(pagesColors, 'light')}${line}--radius:${pagesRadius}px;--font:${pagesFont}}` +
    `@media (prefers-color-scheme:dark){:root{${declare(pagesColorsDark, 'dark')}}}`
  );
}
