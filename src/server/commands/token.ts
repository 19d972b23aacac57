import { loadConfiguration } from '../cli/configuration.js';
import { type Command, EXIT } from '../cli/types.js';
import { parseDuration } from '../config/parse.js';
import { readSigningKey, signAdminToken } from './sign-admin-token.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const token: Command = {
  summary: 'Print an access token for the admin endpoints',
  help: `Prints a token, signed with the key that the server signs with, whose role claim permits the admin endpoints.
It grants full access and cannot be revoked before it expires: keep it short-lived.`,
  options: {
    role: { type: 'string', argument: 'ROLE', doc: 'role claim, one of AUTH_JWT_ADMIN_ROLES (default: service_role)' },
    exp: { type: 'string', argument: 'DURATION', doc: 'lifetime, e.g. 10m or 1h (default: 1h)' },
    'no-exp': { type: 'boolean', doc: 'make a token that never expires' },
    sub: { type: 'string', argument: 'UUID', doc: 'sub claim: the user it stands for (default: none)' },
  },
  run: async (args, io) => {
    const { values, configFiles } = args;
    const reportUsageError = (problem: string) => {
      io.err(`latchkey token: ${problem}\n`);
      return EXIT.wrongUsage;
    };
    const role = (values['role'] as string | undefined) ?? 'service_role';
    const subject = (values['sub'] as string | undefined) ?? null;
    const lifetime = parseDuration((values['exp'] as string | undefined) ?? '1h', { whole: true, positive: true });
    if (role === '') return reportUsageError('--role must not be empty');
    if (subject !== null && !UUID.test(subject)) return reportUsageError('--sub must be a UUID');
    if (values['no-exp'] && values['exp'] !== undefined) return reportUsageError('give --exp or --no-exp, not both');
    if ('fault' in lifetime) return reportUsageError(`--exp ${lifetime.fault}`);

    const { config } = await loadConfiguration({ configFiles }, io);
    if (!config.jwtAdminRoles.includes(role)) {
      io.err(`Warning: ${role} is not in AUTH_JWT_ADMIN_ROLES; the admin endpoints will refuse this token.\n`);
    }
    if (values['no-exp']) {
      io.err('Warning: this token never expires; only a new key ends it.\n');
    }
    const jwt = await signAdminToken(
      {
        role,
        subject,
        audience: config.jwtAudience,
        issuer: config.jwtIssuer,
        expiresInSeconds: values['no-exp'] ? null : lifetime.value,
      },
      await readSigningKey(io, config),
      Math.floor(Date.now() / 1000),
    );
    io.out(`${jwt}\n`);
    return EXIT.ok;
  },
};
