import net from 'node:net';
import type { Config } from '../config/settings.js';
import type { SmtpServer } from './smtp-pool.js';

/** Port 465 uses TLS from the first byte (RFC 8314). */
export function smtpServerOf(
  config: Pick<Config, 'smtpHost' | 'smtpPort' | 'smtpUser' | 'smtpPass' | 'apiExternalUrl'>,
): SmtpServer {
  return {
    host: config.smtpHost,
    port: config.smtpPort,
    isSecure: config.smtpPort === 465,
    user: config.smtpUser,
    password: config.smtpPass,
    ehloName: ehloName(config.apiExternalUrl),
  };
}

/** @returns the host of AUTH_API_EXTERNAL_URL, for Message-IDs; an IPv6 address in brackets */
export function mailHost(apiExternalUrl: string): string {
  return new URL(apiExternalUrl).hostname;
}

/** RFC 5321 4.1.3: an IP address is written in brackets, with a prefix for version 6. */
function ehloName(apiExternalUrl: string): string {
  const host = mailHost(apiExternalUrl);
  if (host.startsWith('[')) return `[IPv6:${host.slice(1, -1)}]`;
  return net.isIPv4(host) ? `[${host}]` : host;
}
