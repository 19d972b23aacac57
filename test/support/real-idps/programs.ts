/** What runs programs of others, and its Debian package. `.ci/run` does not install it, since it downloads none of them. */
export const programs = {
  java: ['Java', 'default-jdk-headless'],
  maven: ['Maven', 'maven'],
  go: ['Go', 'golang'],
  python: ['Python', 'python3'],
  pip: ['pip', 'python3-pip'],
  xmlsec: ['xmlsec1', 'xmlsec1'],
} as const satisfies Record<string, readonly [name: string, debianPackage: string]>;
