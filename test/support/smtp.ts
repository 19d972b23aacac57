/** A mail server for tests with scripted reactions, and a reader for the mails it received. */
import type { Socket } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { Test } from './tap.js';

export type Step = 'connect' | 'sender' | 'recipient' | 'data' | 'content' | 'end';

/** The server's behaviour at a step: accept, reject with a reply, cut the connection, or never reply. */
export type Reaction = 'accept' | { readonly code: number; readonly text: string } | 'cut' | 'hang';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  /** Time of the final dot. */
  readonly at: number;
  /** The server sent 250. */
  readonly isAccepted: boolean;
}

export interface TestMailServer {
  readonly port: number;
  /** Mails whose final dot arrived. */
  readonly mails: ReceivedMail[];
  /** `C: …` and `S: …` lines of all connections. */
  readonly dialogue: string[];
  /** Called at every step: `data` before the content is read, `content` at its first bytes, `end` after the final dot. */
  react: (step: Step, recipient: string) => Reaction | Promise<Reaction>;
  /** How many connections have been opened. */
  readonly connections: () => number;
  /** Mails that got a 250, parsed. */
  accepted(): Promise<Email[]>;
  /** Waits for that number of accepted mails. */
  waitForMails(count: number): Promise<Email[]>;
  /** Cuts all connections; the server keeps listening. */
  hangUp(): void;
  close(): Promise<void>;
}

/** The client's commands in a dialogue, without their arguments. */
export const commandsOf = (dialogue: readonly string[]): string[] =>
  dialogue.filter((line) => line.startsWith('C: ')).map((line) => line.slice(3).split(/[ :]/, 1)[0]!.toUpperCase());

export interface TestMailServerOptions extends SMTPServerOptions {
  readonly port?: number;
  /** Requires AUTH with these; unset: no AUTH. */
  readonly user?: string;
  readonly password?: string;
  /** Offers STARTTLS; off by default. */
  readonly offersStartTls?: boolean;
}

const parsed = new WeakMap<ReceivedMail, Promise<Email>>();

/** Once for each mail, since a test may ask for all of them again and again. */
function parse(mail: ReceivedMail): Promise<Email> {
  const email = parsed.get(mail) ?? PostalMime.parse(mail.raw);
  parsed.set(mail, email);
  return email;
}

/** Listens on the loopback until the test's end. */
export async function openTestMailServer(t: Test, options: TestMailServerOptions = {}): Promise<TestMailServer> {
  const { port = 0, user, password, offersStartTls = false, ...more } = options;
  const mails: ReceivedMail[] = [];
  const dialogue: string[] = [];
  const changed = new Set<() => void>();
  let connections = 0;

  const socketOf = (id: string): Socket | undefined => {
    for (const connection of server.connections) {
      const open = connection as unknown as { session: { id: string }; _socket: Socket };
      if (open.session.id === id) return open._socket;
    }
    return undefined;
  };
  const step = async (name: Step, id: string, recipient: string, done: (error?: Error | null) => void) => {
    const reaction = await self.react(name, recipient);
    if (reaction === 'accept') done();
    else if (reaction === 'cut') socketOf(id)?.destroy();
    else if (reaction !== 'hang') done(Object.assign(new Error(reaction.text), { responseCode: reaction.code }));
  };
  const record = (_entry: unknown, ...words: unknown[]): void => {
    const line = words.join(' ');
    if (/^(C: [A-Z]|S: )/i.test(line)) dialogue.push(line);
  };
  const ignore = (): void => undefined;

  const server = new SMTPServer({
    disableReverseLookup: true,
    authOptional: user === undefined,
    allowInsecureAuth: true,
    hideSTARTTLS: !offersStartTls,
    disabledCommands: [...(offersStartTls ? [] : ['STARTTLS']), ...(user === undefined ? ['AUTH'] : [])],
    closeTimeout: 1,
    logger: { trace: ignore, debug: record, info: ignore, warn: ignore, error: ignore, fatal: ignore },
    onConnect(session, done) {
      connections += 1;
      void step('connect', session.id, '', done);
    },
    onAuth(auth, _session, done) {
      const isRight =
        auth.username === user &&
        (auth.method === 'CRAM-MD5' ? auth.validatePassword(password!) : auth.password === password);
      if (isRight) done(null, { user });
      else done(Object.assign(new Error('5.7.8 Authentication failed'), { responseCode: 535 }));
    },
    onMailFrom: (_address, session, done) => void step('sender', session.id, '', done),
    onRcptTo: (address, session, done) => void step('recipient', session.id, address.address, done),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      const { mailFrom, rcptTo } = session.envelope;
      const recipient = rcptTo[0]?.address ?? '';
      void step('data', session.id, recipient, (refused) => {
        stream.on('data', (chunk: Buffer) => {
          if (chunks.push(chunk) > 1) return;
          stream.pause();
          void step('content', session.id, recipient, () => stream.resume());
        });
        stream.on('end', () => {
          void step('end', session.id, recipient, (error) => {
            const isAccepted = !error && !refused;
            const raw = Buffer.concat(chunks).toString('utf8');
            const from = mailFrom === false ? '' : mailFrom.address;
            mails.push({ from, to: rcptTo.map(({ address }) => address), raw, at: Date.now(), isAccepted });
            done(error ?? refused ?? null);
            for (const notify of changed) notify();
          });
        });
      });
    },
    ...more,
  });
  server.on('error', () => undefined);
  const listener = server.listen(port, '127.0.0.1');
  await new Promise<void>((resolve, reject) => {
    listener.once('listening', resolve);
    listener.once('error', reject);
  });

  const accepted = () => Promise.all(mails.filter(({ isAccepted }) => isAccepted).map(parse));
  let closing: Promise<void> | undefined;
  const self: TestMailServer = {
    port: (listener.address() as { port: number }).port,
    mails,
    dialogue,
    react: () => 'accept',
    connections: () => connections,
    accepted,
    async waitForMails(count) {
      while (mails.filter(({ isAccepted }) => isAccepted).length < count) {
        await new Promise<void>((resolve) => {
          const notify = (): void => {
            changed.delete(notify);
            resolve();
          };
          changed.add(notify);
        });
      }
      return accepted();
    },
    hangUp() {
      for (const connection of server.connections) (connection as unknown as { _socket: Socket })._socket.destroy();
    },
    close() {
      closing ??= new Promise<void>((resolve) => {
        self.hangUp();
        server.close(resolve);
      });
      return closing;
    },
  };
  t.teardown(() => self.close());
  return self;
}
