import { compileRedirects, RedirectPatternError } from '../../accounts/redirects.js';
import { loadConfig } from '../../config/load.js';
import { type Command, EXIT } from '../types.js';

export const checkRedirect: Command = {
  summary: 'Say whether users may be sent to a URL, and why',
  help: `Says what would become of URL as redirect_to under this configuration: whether AUTH_SITE_URL or a pattern of
AUTH_URI_ALLOW_LIST permits it, or what speaks against it and where users would be sent instead.
Exits with 0 when it is permitted, with 1 when it is refused.`,
  options: {},
  positionals: ['URL'],
  run: async ({ positionals: [candidate], configFile }, io) => {
    if (candidate === undefined) {
      io.err('latchkey check redirect: which URL? Give it as one argument, in quotes.\n');
      return EXIT.wrongUsage;
    }
    const { config } = loadConfig({ environment: io.environment, file: configFile });
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

/** The rules speak of settings as service.md does; an operator knows them by their prefix. */
const withPrefix = (text: string): string => text.replace(/\b(?<!AUTH_)(SITE_URL|URI_ALLOW_LIST)\b/g, 'AUTH_$1');

/** One line of ASCII, so that nothing in it can redraw the terminal or turn its direction. */
const show = (text: string): string =>
  JSON.stringify(text).replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
