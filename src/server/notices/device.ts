/** The first that matches counts: most browsers also name the ones they descend from. */
const browsers: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\/|\bChromium\//, 'Chrome'],
  [/\bVersion\/[\d.]+.* Safari\//, 'Safari'],
];
const systems: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\biPhone\b|\biPod\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMacintosh\b|\bMac OS X\b/, 'macOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
];

/** Both are from a fixed list, since the header is text of the client's choice. */
export interface Device {
  readonly browser: string | undefined;
  readonly system: string | undefined;
}

export function readDevice(userAgent: string | null): Device {
  const find = (names: typeof browsers) => names.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1];
  return { browser: find(browsers), system: find(systems) };
}

/**
 * A device as a notice names it: browser and system.
 * @returns such as `Firefox on Windows`, `a browser on Linux` or `an unknown device`
 */
export function describeDevice(userAgent: string | null): string {
  const { browser, system } = readDevice(userAgent);
  if (browser === undefined && system === undefined) return 'an unknown device';
  return system === undefined ? browser! : `${browser ?? 'a browser'} on ${system}`;
}
