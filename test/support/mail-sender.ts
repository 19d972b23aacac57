/** A mailer in a process that a test kills: `node mail-sender.js <database url> <smtp port>`. */
import { openDatabase } from '../../src/db/pool.js';
import { startMailer } from '../../src/server/mail/mailer.js';
import { listeningLog, mailConfig } from './mailer.js';

const [databaseUrl = '', port = ''] = process.argv.slice(2);
const log = listeningLog();
const db = openDatabase({
  url: databaseUrl,
  maxConnections: 2,
  prefix: '',
  preparedStatements: true,
  acquireTimeoutSeconds: 2,
  statementTimeoutSeconds: 5,
  log,
});
const mailer = startMailer({ config: mailConfig(databaseUrl, Number(port)), db, log });

process.on('message', () => mailer.nudge());
process.send?.('ready');
