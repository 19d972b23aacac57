import { type Lockfile, listLicences } from './licences.js';

/** The part of a CycloneDX document (https://cyclonedx.org/docs/1.5/json/) that is read or changed here. */
export interface Bom {
  readonly bomFormat: string;
  readonly metadata: { readonly component: { readonly name: string } };
  readonly components: readonly {
    readonly 'bom-ref': string;
    readonly name: string;
    readonly version: string;
    readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/**
 * Reduces the output of `npm sbom` to production packages. npm's own `--omit dev` also omits packages that development
 * tools need too, such as pg. Aliased packages get their published names.
 * @param bom of `npm sbom --sbom-format cyclonedx --package-lock-only`
 */
export function narrowBom<Given extends Bom>(bom: Given, lockfile: Lockfile): Given {
  const names = new Map(listLicences(lockfile).map(({ name, version }) => [`${name}@${version}`, name]));
  const root = lockfile.packages['']?.name ?? '';
  const isWanted = (ref: string): boolean => names.has(ref) || ref.startsWith(`${root}@`);
  return {
    ...bom,
    // npm takes the name of the directory.
    metadata: { ...bom.metadata, component: { ...bom.metadata.component, name: root } },
    components: bom.components
      .filter((component) => names.has(component['bom-ref']))
      .map((component) => ({ ...component, name: names.get(component['bom-ref'])! })),
    dependencies: bom.dependencies
      .filter(({ ref }) => isWanted(ref))
      .map((dependency) => ({ ...dependency, dependsOn: dependency.dependsOn.filter(isWanted) })),
  };
}
