/**
 * Loaded with `node --import` before a server under measurement: access tokens are then signed on the server's own
 * thread. Everything else is the server as it is, so the difference is what the signing thread costs or saves.
 */
import { register } from 'node:module';

register('./inline-signing-hooks.js', import.meta.url);
