import { context } from 'esbuild';

const port = Number(process.env.PORT ?? 3000);
const page = await context({ entryPoints: ['app.js'], bundle: true, format: 'esm', outdir: 'public' });
await page.serve({ servedir: 'public', host: 'localhost', port });
console.log(`Open http://localhost:${port}`);
