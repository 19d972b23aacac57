import { loadConfiguration } from '../cli/configuration.js';
import { type Command, EXIT } from '../cli/types.js';
import { compileRedirects, RedirectPatternError } from '../redirects/policy.js';

export const checkRedirect: Command = {
  summary: 'Explain whether a URL is a permitted redirect target',
  help: `Shows whether AUTH_SITE_URL or a pattern of AUTH_URI_ALLOW_LIST permits URL as redirect_to, or why not and where users
would be redirected instead. Exits with 0 if it is permitted, with 1 if not.`,
  options: {},
  positionals: ['URL'],
  run: async ({ positionals: [candidate], configFiles }, io) => {
    if (candidate === undefined) {
      io.err('latchkey check redirect: which URL? Give it as one argument, in quotes.\n');
      return EXIT.wrongUsage;
    }
    const { config } = await loadConfiguration({ configFiles }, io);
    let policy: ReturnType<typeof compileRedirects>;
    try {
      policy = compileRedirects(config);
    } catch (error) {
      if (!(error instanceof RedirectPatternError)) throw error;
      io.err(`${withPrefix(error.message)}\n`);
      return EXIT.wrongUsage;
    }
    const verdict = policy.check(candidate);
    io.out(`${verdict.isAllowed ? 'permitted' : 'refused'}  ${show(candidate)}\n`);
    io.out(`  It ${withPrefix(verdict.reason)}.\n`);
    if (!verdict.isAllowed) {
      io.out(`  Users would be sent to AUTH_SITE_URL instead: ${policy.choose([]).url}\n`);
      for (const pattern of policy.ineffective) {
        io.out(
          `  ${JSON.stringify(pattern)} on AUTH_URI_ALLOW_LIST permits nothing: begin it with https://, or the like.\n`,
        );
      }
    }
    return verdict.isAllowed ? EXIT.ok : EXIT.failed;
  },
};

/** Reasons name settings without their prefix; this puts the prefix back. */
const withPrefix = (text: string): string => text.replace(/\b(?<!AUTH_)(SITE_URL|URI_ALLOW_LIST)\b/g, 'AUTH_$1');

/** One line of ASCII, so that nothing can redraw the terminal or change the direction of text. */
const show = (text: string): string =>
  JSON.stringify(text).replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
