/**
 * Packages that are part of the console's script (src/web/console), though they are only installed for development. The
 * build compares this list with what it bundles.
 */
export const bundledPackages: readonly string[] = ['@preact/signals', '@preact/signals-core', 'preact', 'uplot'];
