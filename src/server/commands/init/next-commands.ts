import { join } from 'node:path';
import { quoteWord } from '../../cli/one-line.js';
import type { Answers } from './answers.js';
import { canBuild, launcherPath } from './deploy-texts.js';
import { CONSOLE_PORT } from './env-text.js';

export interface NextOptions {
  readonly directory: string;
  /** The image comes from a registry. */
  readonly isPulled: boolean;
  /** All checks have passed. */
  readonly isWell: boolean;
}

/** @returns what to run next, ready to copy */
export function renderNextCommands(answers: Answers, { directory, isPulled, isWell }: NextOptions): string {
  const { launcher, domain, operator } = answers;
  const start =
    launcher === 'compose'
      ? [`cd ${quoteWord(directory)} && docker compose up --detach --wait${isPulled || !canBuild() ? '' : ' --build'}`]
      : [
          `sudo cp ${quoteWord(join(directory, 'latchkey.service'))} /etc/systemd/system/ && sudo systemctl daemon-reload`,
          'sudo systemctl enable --now latchkey',
          `sudo cp ${quoteWord(join(directory, 'Caddyfile'))} /etc/caddy/Caddyfile && sudo systemctl reload caddy`,
        ];
  const latchkey =
    launcher === 'compose'
      ? 'docker compose exec latchkey node bin/latchkey.cjs'
      : `node ${quoteWord(launcherPath)} -c ${quoteWord(join(directory, '.env'))}`;
  const parts = [
    isWell ? 'Next:' : 'Correct what has failed, in .env or at the provider. Then:',
    ...start.map((line) => `  ${line}`),
    `  curl https://${domain}/health/ready`,
  ];
  if (operator !== null) {
    parts.push(
      '',
      `The console is at http://localhost:${CONSOLE_PORT}; from your desk: ssh -L ${CONSOLE_PORT}:localhost:${CONSOLE_PORT} ${domain}`,
      `  ${latchkey} operators create ${operator} --role owner`,
    );
  }
  return `\n${parts.join('\n')}\n`;
}
