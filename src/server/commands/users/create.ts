import { openCryptoPool } from '../../../workers/pool.js';
import { createUserAsAdmin } from '../../admin/create-user.js';
import { withDatabase } from '../../cli/database.js';
import { type Command, type CommandArguments, type CommandIo, EXIT } from '../../cli/types.js';
import type { Config } from '../../config/settings.js';
import { ApiError } from '../../errors.js';
import { openLog } from '../../telemetry/log.js';

/** Actor name in the audit log. */
const OPERATOR = { role: 'command_line', subject: null };

export const createUser: Command = {
  summary: 'Create an account',
  help: `Creates an account like POST /admin/users, and prints it as JSON. No mail is sent. Without a password, the user signs in
with a code or a link. Other users of this machine can see a password on the command line: prefer --password-stdin.`,
  options: {
    email: { type: 'string', argument: 'ADDRESS', doc: 'email address' },
    phone: { type: 'string', argument: 'NUMBER', doc: 'phone number, E.164' },
    password: { type: 'string', argument: 'TEXT', doc: 'password' },
    'password-stdin': { type: 'boolean', doc: 'read the password from standard input, to the end of its first line' },
    confirm: { type: 'boolean', doc: 'the addresses count as confirmed' },
    role: { type: 'string', argument: 'ROLE', doc: 'role (default: AUTH_JWT_DEFAULT_GROUP_NAME)' },
    id: { type: 'string', argument: 'UUID', doc: 'id (default: a new one)' },
  },
  run: async (args, io) => {
    const { values } = args;
    if (values['password'] !== undefined && values['password-stdin'] === true) {
      io.err('latchkey users create: give --password or --password-stdin, not both\n');
      return EXIT.wrongUsage;
    }
    if (values['email'] === undefined && values['phone'] === undefined) {
      io.err('latchkey users create: give --email, --phone or both\n');
      return EXIT.wrongUsage;
    }
    const password = values['password-stdin'] === true ? firstLine((await io.readInput?.()) ?? '') : values['password'];
    if (values['password-stdin'] === true && password === '') {
      io.err('latchkey users create: there is no password on standard input\n');
      return EXIT.wrongUsage;
    }
    return create(args, io, (password as string | undefined) ?? null);
  },
};

const firstLine = (text: string): string => text.split(/\r?\n/, 1)[0]!;

async function create(args: CommandArguments, io: CommandIo, password: string | null): Promise<number> {
  const text = (name: string): string => (args.values[name] as string | undefined) ?? '';
  try {
    const user = await withDatabase(args, io, async (db, config) => {
      const log = await openLog({ level: 'error', file: '' });
      const crypto = await openCrypto(config);
      try {
        return await createUserAsAdmin({ config, db, crypto, log }, '', OPERATOR, {
          pathId: null,
          id: text('id'),
          audience: config.jwtAudience,
          role: text('role'),
          email: text('email'),
          phone: text('phone'),
          password,
          passwordHash: '',
          confirmsEmail: args.values['confirm'] === true,
          confirmsPhone: args.values['confirm'] === true,
          userMetadata: {},
          appMetadata: {},
          banDuration: '',
        });
      } finally {
        await crypto.close();
      }
    });
    io.out(`${JSON.stringify(user, null, 2)}\n`);
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    io.err(`latchkey users create: ${error.message}\n`);
    return EXIT.failed;
  }
}

const openCrypto = (config: Config) =>
  openCryptoPool({
    hashThreads: 1,
    signThreads: 1,
    argon2: {
      memoryKiB: config.argon2MemoryKib,
      iterations: config.argon2Iterations,
      parallelism: config.argon2Parallelism,
    },
    jwtSecret: config.jwtSecret,
    jwtKeyId: config.jwtKeyId,
    maxQueuedHashes: 1,
  });
