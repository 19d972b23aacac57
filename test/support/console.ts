/** The console of a test server, and operators who are signed in to it. */

import { loadConfig } from '../../src/server/config/load.js';
import type { OperatorRole } from '../../src/server/http/types.js';
import type { Authenticator } from './authenticator.js';
import { type ConsoleAnswer, ConsoleBrowser, inviteOperator, signInByLink } from './console-browser.js';
import { freePort } from './free-port.js';
import { openTestServer, type TestServer, testEnvironment } from './server.js';
import type { Test } from './tap.js';

export interface TestConsole extends TestServer {
  readonly consolePort: number;
  /** A new operator, and the secret of its link. */
  invite(name: string, role: OperatorRole): Promise<{ id: string; link: string }>;
  /** A browser in which a new operator of this role has signed in with a passkey. */
  signIn(role: OperatorRole, name?: string): Promise<SignedInOperator>;
}

export interface SignedInOperator extends ConsoleBrowser {
  readonly operatorId: string;
  readonly name: string;
  readonly authenticator: Authenticator;
}

/** A test server with its console. */
export async function openTestConsole(t: Test, settings: Record<string, string> = {}): Promise<TestConsole> {
  const consolePort = await freePort();
  const given = { CONSOLE_PORT: String(consolePort), ...settings };
  const server = await openTestServer(t, given);
  const { config } = loadConfig({ environment: testEnvironment(server.database.url, given), file: null });
  const invite = (name: string, role: OperatorRole) => inviteOperator(config, name, role);

  async function signIn(role: OperatorRole, name: string = role): Promise<SignedInOperator> {
    const { id, link } = await invite(name, role);
    const browser = new ConsoleBrowser(consolePort);
    const authenticator = await signInByLink(browser, link);
    return Object.assign(browser, { operatorId: id, name, authenticator });
  }

  return { ...server, consolePort, invite, signIn };
}

/** The operator shows the passkey again. */
export async function stepUpAgain(browser: SignedInOperator): Promise<ConsoleAnswer> {
  const { body } = await browser.post('/api/sign-in/passkey/options');
  const credential = browser.authenticator.get(body.options);
  return browser.post('/api/me/step-up', { challenge_id: body.challenge_id, credential });
}

/** As if the operator had shown the passkey long ago. */
export async function forgetStepUps({ database }: TestServer): Promise<void> {
  await database.admin.query("update operator_sessions set proven_at = now() - interval '11 minutes'");
}
