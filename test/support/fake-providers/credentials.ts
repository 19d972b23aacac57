import type { Call, FakeName } from './contract.js';

export interface Credentials {
  readonly id: string;
  readonly secret: string;
}

/** Characters that a form must encode, so that forgetting it in the Basic header shows (RFC 6749 2.3.1). */
export function credentialsOf(name: FakeName): Credentials {
  return { id: `${name}-client`, secret: `${name} secret+/=%&:` };
}

export type ClientStyle = 'basic' | 'body';

/** How the client authenticated; null if both ways, none, or wrong credentials were used (RFC 6749 2.3). */
export function readClientStyle(call: Call): ClientStyle | null {
  const { id, secret } = credentialsOf(call.provider);
  const header = call.headers['authorization'];
  const hasSecret = call.fields.has('client_secret');
  if (typeof header === 'string') {
    const text = Buffer.from(/^Basic ([\w+/=]+)$/.exec(header)?.[1] ?? '', 'base64').toString();
    const [user = '', password = ''] = text.split(':').map((part) => decodeURIComponent(part.replaceAll('+', ' ')));
    return user === id && password === secret && !hasSecret ? 'basic' : null;
  }
  return call.fields.get('client_id') === id && call.fields.get('client_secret') === secret ? 'body' : null;
}
