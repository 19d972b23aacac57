import { randomBytes } from 'node:crypto';

export interface StartScreen {
  readonly version: string;
  readonly url: string;
  readonly databaseLabel: string;
  readonly role: string;
  readonly token: string;
}

/** What `npm start` shows once it serves: where it is, a token for operators, and three lines to paste. */
export function startScreen({ version, url, databaseLabel, role, token }: StartScreen): string {
  // A fresh address each time: the lines work again on the second start, on the same database.
  const email = `you-${randomBytes(3).toString('hex')}@example.com`;
  const credentials = `'{"email":"${email}","password":"correct horse battery"}'`;
  const signIn = `curl -s '${url}/token?grant_type=password' -d ${credentials}`;
  return `
  Latchkey ${version} is running for development

    API        ${url}
    Mailbox    ${url}/dev/mailbox   mails and texts, which do not leave this machine
    Database   ${databaseLabel}
    Stop       Ctrl-C

  Token of role ${role}, for admin calls; treat it like the JWT secret:

    ${token}

  Try it, line by line: sign up, sign in, read the user.

curl -s ${url}/signup -d ${credentials}
${signIn}
curl -s ${url}/user -H "Authorization: Bearer $(${signIn} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')"

`;
}
