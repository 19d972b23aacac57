import { randomBytes } from 'node:crypto';

export interface StartScreen {
  readonly version: string;
  /** HTTP engine with its version. */
  readonly engine: string;
  readonly url: string;
  readonly databaseLabel: string;
  readonly role: string;
  readonly token: string;
  /** The company for development is in the database. */
  readonly isRegistered: boolean;
  /** The documentation is here. */
  readonly hasSite: boolean;
  /** Signs in to the console; null where it is off. */
  readonly consoleLink: string | null;
}

/** What `npm start` prints when it is ready: URLs, an admin token, and three commands to paste. */
export function startScreen(screen: StartScreen): string {
  const { version, engine, url, databaseLabel, role, token, isRegistered, hasSite, consoleLink } = screen;
  // A new address each time, so that the commands work on the same database again.
  const email = `you-${randomBytes(3).toString('hex')}@example.com`;
  const credentials = `'{"email":"${email}","password":"correct horse battery"}'`;
  const signIn = `curl -s '${url}/token?grant_type=password' -d ${credentials}`;
  return `
  Latchkey ${version} is running for development

    API        ${url}   open it in a browser to see what is here
    Mailbox    ${url}/dev/mailbox   mails and texts, which do not leave this machine
    Pages      ${url}/ui/sign-in   sign-in for your users
${isRegistered ? `    Company    ${url}/dev/identity-provider   sign-in as ada@company.example, and what is sent\n` : ''}\
${consoleLink === null ? '' : `    Console    ${consoleLink}   for you, once within 15 minutes\n`}\
${hasSite ? `    Docs       ${url}/docs/   guides, settings, errors, with a search\n` : ''}\
    Database   ${databaseLabel}
    Runs on    ${engine}, Node ${process.versions.node}
    Stop       Ctrl-C

  Token of role ${role}, for admin calls; treat it like the JWT secret:

    ${token}

  Try it, one command at a time: sign up, sign in, read the user.

curl -s ${url}/signup -d ${credentials}
${signIn}
curl -s ${url}/user -H "Authorization: Bearer $(${signIn} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')"

`;
}
