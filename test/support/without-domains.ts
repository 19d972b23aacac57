/**
 * Import it before tap. To know the test of an error that nobody catches, tap follows every promise and resource of the process, which
 * takes an eighth of the processor time of tests of a server. A process that runs several files does without: such an error fails the file
 * that runs (run-group.ts).
 */
import hooks from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';

const { createHook } = hooks;

/** A hook without callbacks follows nothing. */
hooks.createHook = () => createHook({});
syncBuiltinESMExports();
