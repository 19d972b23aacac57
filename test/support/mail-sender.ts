/** A process with a mail room, to be killed: `node mail-sender.js <database url> <smtp port>`. */
import { openDatabase } from '../../src/db/pool.js';
import { openMailRoom } from '../../src/server/mail/room.js';
import { listeningLog, mailConfig } from './mail-room.js';

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
const room = openMailRoom({ config: mailConfig(databaseUrl, Number(port)), db, log });

process.on('message', () => room.nudge());
process.send?.('ready');
