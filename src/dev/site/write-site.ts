/** `npm run site`. Its argument is the path that the site is published under, if that is not /docs/. */
import { buildSite } from './build-site.js';

process.stdout.write(await buildSite(process.argv[2] ?? '/docs/'));
