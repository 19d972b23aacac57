/** A fake of both captcha services: records its requests and fails on demand. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from './tap.js';

export type CaptchaProvider = 'hcaptcha' | 'turnstile';
export const captchaProviders: readonly CaptchaProvider[] = ['hcaptcha', 'turnstile'];
export const CAPTCHA_SECRET = 'captcha-secret-0123456789';

/**
 * silent: reads, never responds · cut: closes at once · cutBody: closes in the middle of the body · huge: 2 MB of JSON ·
 * html: a page of some proxy, 200 · noVerdict: JSON without success · yesInWords: success is a string · redirect: to
 * another host · errorStatus: a yes under status 500, which these services do not mean
 */
export type CaptchaFault =
  | 'none'
  | 'silent'
  | 'cut'
  | 'cutBody'
  | 'huge'
  | 'html'
  | 'noVerdict'
  | 'yesInWords'
  | 'redirect'
  | 'errorStatus';

export interface CaptchaCall {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly contentType: string | undefined;
  readonly form: URLSearchParams;
}

export interface FakeCaptcha {
  readonly url: string;
  readonly calls: CaptchaCall[];
  fault: CaptchaFault;
  /** A token that passes once. */
  solve(): string;
  /** Settings that enable captcha with this server (names without AUTH_). */
  readonly settings: Readonly<Record<string, string>>;
}

/** Error codes of each service. */
const words = {
  hcaptcha: { used: 'already-seen-response', secret: 'invalid-input-secret' },
  turnstile: { used: 'timeout-or-duplicate', secret: 'invalid-input-secret' },
} as const;

export async function startFakeCaptcha(t: Test, provider: CaptchaProvider): Promise<FakeCaptcha> {
  const fresh = new Set<string>();
  const used = new Set<string>();
  const calls: CaptchaCall[] = [];

  function judge(form: URLSearchParams): object {
    const token = form.get('response') ?? '';
    const refused = (...codes: string[]) => ({ success: false, 'error-codes': codes });
    if (!form.has('secret')) return refused('missing-input-secret');
    if (form.get('secret') !== CAPTCHA_SECRET) return refused(words[provider].secret);
    if (token === '') return refused('missing-input-response');
    if (used.has(token)) return refused(words[provider].used);
    if (!fresh.delete(token)) return refused('invalid-input-response');
    used.add(token);
    const passed = { success: true, challenge_ts: new Date().toISOString(), hostname: 'localhost' };
    return provider === 'hcaptcha' ? passed : { ...passed, 'error-codes': [], action: '', cdata: '' };
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    calls.push({ method: request.method, path: request.url, contentType: request.headers['content-type'], form });
    const send = (status: number, text: string, type = 'application/json') =>
      response.writeHead(status, { 'Content-Type': type }).end(text);
    switch (fake.fault) {
      case 'none':
        return void send(200, JSON.stringify(judge(form)));
      case 'errorStatus':
        return void send(500, JSON.stringify(judge(form)));
      case 'silent':
        return;
      case 'cut':
        return void request.socket.destroy();
      case 'cutBody':
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
        return void response.write('{"success":true,', () => request.socket.destroy());
      case 'huge':
        return void send(200, JSON.stringify({ ...judge(form), padding: 'x'.repeat(2_000_000) }));
      case 'html':
        return void send(200, '<html>success</html>', 'text/html');
      case 'noVerdict':
        return void send(200, '{"error-codes":[]}');
      case 'yesInWords':
        return void send(200, '{"success":"true"}');
      case 'redirect':
        response.writeHead(307, { Location: 'http://127.0.0.2:1/siteverify' });
        return void response.end();
    }
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/siteverify`;
  let solved = 0;
  const fake: FakeCaptcha = {
    url,
    calls,
    fault: 'none',
    solve() {
      const token = `P1_${provider}_${++solved}`;
      fresh.add(token);
      return token;
    },
    settings: {
      SECURITY_CAPTCHA_ENABLED: 'true',
      SECURITY_CAPTCHA_PROVIDER: provider,
      SECURITY_CAPTCHA_SECRET: ` ${CAPTCHA_SECRET} `,
      SECURITY_CAPTCHA_URL: url,
      SECURITY_CAPTCHA_TIMEOUT: '1s',
    },
  };
  return fake;
}
