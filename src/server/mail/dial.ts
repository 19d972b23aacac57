import net from 'node:net';
import { MailError } from './mail-error.js';

const CONNECT_SECONDS = 5;

/**
 * Opens the TCP connection to a mail server, at any address of the name.
 * @throws MailError at stage dns or connect, within 5 s
 */
export function dial(host: string, port: number, signal: AbortSignal): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host, port, autoSelectFamily: true });
    let isNameKnown = net.isIP(host) !== 0;
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    const fail = (message: string, cause?: unknown): void => {
      end();
      // A destroyed socket may still report the error of another address.
      socket.on('error', () => undefined);
      socket.destroy();
      reject(new MailError(message, { stage: isNameKnown ? 'connect' : 'dns', cause }));
    };
    const onAbort = (): void => fail('The attempt was aborted');
    const timer = setTimeout(
      () => fail(isNameKnown ? `No connection within ${CONNECT_SECONDS} s` : `No address within ${CONNECT_SECONDS} s`),
      CONNECT_SECONDS * 1000,
    );
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('lookup', (error) => {
      if (!error) isNameKnown = true;
    });
    socket.once('error', (error: NodeJS.ErrnoException) => fail(explain(error), error));
    socket.once('connect', () => {
      end();
      socket.removeAllListeners('error');
      socket.on('error', () => undefined);
      resolve(socket);
    });
  });
}

function explain(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'ENOTFOUND':
      return 'The name of the mail server is not known';
    case 'EAI_AGAIN':
      return 'The name of the mail server cannot be looked up just now';
    case 'ECONNREFUSED':
      return 'Nothing listens at that host and port';
    case 'ETIMEDOUT':
      return 'The mail server does not answer';
    default:
      return `The connection failed${error.code === undefined ? '' : ` (${error.code})`}`;
  }
}
