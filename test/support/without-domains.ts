/**
 * Import it before tap. To attribute an uncaught error to a test, tap tracks every promise and resource of the process, which
 * takes an eighth of the processor time of tests of a server. A process that runs several files does without: such an error fails the file
 * that runs (run-group.ts).
 */
import hooks from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';

const { createHook } = hooks;

/** A hook without callbacks tracks nothing. */
hooks.createHook = () => createHook({});
syncBuiltinESMExports();
