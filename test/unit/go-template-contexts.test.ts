/** Values in scripts, handlers, styles and URLs, and templates that call templates: as html/template has them. */

import { compileTemplate } from '../../src/go-template/index.js';
import { goCases, goValues } from '../support/go-template-cases.js';
import { t } from '../support/tap.js';

/** README.md of the interpreter, Differences from Go. */
const withoutDifferences = (output: string): string => output.replaceAll('ZgotmplZ', '');

for (const [source, output] of goCases) {
  t.test(source, async (t) => {
    t.equal(compileTemplate(source, 'html').render(goValues), withoutDifferences(output));
  });
}
