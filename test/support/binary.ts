/** The binary that tests start as processes of their own. */
import { fileURLToPath } from 'node:url';

/** Names the launcher of a bundled binary; `run.ts` and `stress.ts` set it for test files (bundle-binary.ts). */
export const BINARY_VARIABLE = 'LATCHKEY_TEST_BINARY';

const own = fileURLToPath(new URL('../../../bin/latchkey.cjs', import.meta.url));

/** The launcher: the real one, or that of the same code in fewer files. */
export const launcher = process.env[BINARY_VARIABLE] ?? own;
