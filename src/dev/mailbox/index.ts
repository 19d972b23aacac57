export { createMailbox, type Mailbox, type Message } from './mailbox.js';
export { mailboxRoutes } from './routes.js';
