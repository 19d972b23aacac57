import { checkRedirect } from '../../src/server/checks/redirect.js';
import { compileRedirects, RedirectPatternError } from '../../src/server/redirects/policy.js';
import { t } from '../support/tap.js';

const isPermitted = (pattern: string, candidate: string) =>
  compileRedirects({ siteUrl: 'https://site.example', uriAllowList: [pattern] }).check(candidate).isAllowed;

t.test('patterns of the allow list', async (t) => {
  const table: [pattern: string, matching: string[], other: string[]][] = [
    [
      'http://localhost:8000/*',
      ['http://localhost:8000/path?param=1'],
      ['http://localhost:8000', 'http://localhost:8000/a/b'],
    ],
    ['https://*.app.example/*', ['https://a.app.example/cb'], ['https://a.b.app.example/cb']],
    ['https://app.example/**', ['https://app.example/a/b.html#x'], ['https://app.example', 'https://app.example.org/']],
    ['https://app.example/*', ['https://app.example/cb'], ['https://app.example/index.html']],
    ['myapp://**', ['myapp://callback/v2', 'myapp://'], ['myapp:x']],
    // A bare origin has a slash or none.
    [
      'https://app.example',
      ['https://app.example', 'https://app.example/'],
      ['https://app.example/x', 'https://app.example:81'],
    ],
    ['https://app.example/', ['https://app.example', 'https://app.example/#a'], ['https://app.example/?x']],
    // Any port, and either scheme.
    ['http://localhost:*/**', ['http://localhost:1/a', 'http://localhost/a'], ['https://localhost:1/a']],
    ['http*://localhost:3000/**', ['https://localhost:3000/', 'http://localhost:3000/'], ['httpx://localhost:3000/']],
    ['*://app.example/**', ['http://app.example/', 'https://app.example/'], ['myapp://app.example/']],
    ['https://app.example:443/**', ['https://app.example/', 'https://app.example:443/'], ['https://app.example:444/']],
    // ** behind a host never lengthens it.
    [
      'https://app.example**',
      ['https://app.example', 'https://app.example/x', 'https://app.example:81/x'],
      ['https://app.example.evil.example/'],
    ],
    ['http://localhost:3000**', ['http://localhost:3000', 'http://localhost:3000/x'], ['http://localhost:30001/x']],
    ['http://localhost:**', ['http://localhost:1', 'http://localhost/x'], ['http://localhost.evil.example/']],
    [
      'https://**.app.example/**',
      ['https://a.b.app.example/x'],
      ['https://app.example/x', 'https://a.evilapp.example/x'],
    ],
    // Everything, as configured; but never what could execute or hide.
    [
      '**',
      ['https://any.example/x', 'http://any.example:1'],
      ['https://1.2.3.4/', 'myapp://x', 'javascript://x/%0aalert(1)', 'https://a@b/'],
    ],
    ['https://**', ['https://any.example:1/x'], ['http://any.example/x']],
    ['http://192.168.1.5:3000/**', ['http://192.168.1.5:3000/cb'], ['http://192.168.1.6:3000/cb']],
    ['HTTPS://App.Example/Path', ['https://app.example/Path'], ['https://app.example/path']],
    [
      'https://app.example/#/cb',
      ['https://app.example/#/cb', 'https://app.example/#/other'],
      ['https://app.example/x#/cb'],
    ],
    ['https://app.example/{a,b}', ['https://app.example/a'], ['https://app.example/c']],
    ['https://app[12].example/', ['https://app1.example/'], ['https://app3.example/']],
    ['exp://*.*.*.*:*/--/**', ['exp://192.168.1.5:8081/--/cb'], ['exp://192.168.1.5:8081/cb']],
    ['app.example', [], ['https://app.example', 'app.example']],
  ];
  for (const [pattern, matching, other] of table) {
    for (const candidate of matching) t.equal(isPermitted(pattern, candidate), true, `${pattern} permits ${candidate}`);
    for (const candidate of other)
      t.equal(isPermitted(pattern, candidate), false, `${pattern} does not permit ${candidate}`);
  }
});

t.test('an invalid pattern, or one that allows every host, is a fault', async (t) => {
  const table: [string, RegExp][] = [
    ['https://app[a/x', /\[ that is not closed/],
    ['https://app.example/{a', /\{ that is not closed/],
    ['https://app.example/\\', /backslash/],
    ['https://app.**', /ends its host in \*\*/],
    ['https://app.example**/x', /ends its host in \*\*/],
    ['https://user@app.example/', /@ before its host/],
    ['https:///x', /has no host/],
    ['https://bücher.example/', /outside ASCII/],
    ['https://a b/', /white space/],
  ];
  for (const [pattern, problem] of table) {
    const compile = () =>
      compileRedirects({ siteUrl: 'https://site.example', uriAllowList: ['https://ok.example', pattern] });
    t.throws(compile, RedirectPatternError, pattern);
    t.throws(compile, { message: problem, pattern }, pattern);
  }
});

t.test('the first permitted candidate is used, then SITE_URL as configured', async (t) => {
  const policy = compileRedirects({ siteUrl: 'https://site.example', uriAllowList: ['example.com'] });
  t.same(policy.choose([undefined, '', 'https://evil.example', 'https://site.example/cb#', 'https://site.example/2']), {
    url: 'https://site.example/cb#',
    rejected: [
      {
        candidate: 'https://evil.example',
        reason: 'goes to evil.example, which is not the host of SITE_URL, and no pattern of URI_ALLOW_LIST matches it',
      },
    ],
  });
  t.same(policy.choose([null]), { url: 'https://site.example', rejected: [] });
  t.same(policy.ineffective, ['example.com']);
  t.equal(
    compileRedirects({ siteUrl: 'https://bücher.example', uriAllowList: [] }).choose([]).url,
    'https://xn--bcher-kva.example/',
  );
});

t.test('latchkey check redirect explains the result', async (t) => {
  const environment = {
    AUTH_SITE_URL: 'https://app.example.com',
    AUTH_API_EXTERNAL_URL: 'https://auth.example.com',
    AUTH_DB_DRIVER: 'postgres',
    DATABASE_URL: 'postgres://localhost/db',
    AUTH_JWT_SECRET: 'a secret of more than thirty-two bytes',
    AUTH_URI_ALLOW_LIST: 'https://*.example.net/**,app.example.org',
  };
  const run = async (url: string | undefined, extra: Record<string, string> = {}) => {
    let out = '';
    let err = '';
    const io = {
      environment: { ...environment, ...extra },
      out: (text: string) => {
        out += text;
      },
      err: (text: string) => {
        err += text;
      },
    };
    t.testdir({ 'none.env': '' });
    const args = {
      values: {},
      positionals: url === undefined ? [] : [url],
      configFiles: { file: `${t.testdirName}/none.env` },
    };
    return { code: await checkRedirect.run(args, io), out, err };
  };
  t.same(await run('https://a.example.net/cb'), {
    code: 0,
    out: 'permitted  "https://a.example.net/cb"\n  It matches https://*.example.net/** on AUTH_URI_ALLOW_LIST.\n',
    err: 'Without the settings of the database, which could not be read: The database cannot be reached right now.\n',
  });
  t.match(await run('https://app.example.com:81/'), { code: 0, out: /It is on the host of AUTH_SITE_URL\./ });
  t.match(await run('https://evil.example/\u202e\u001b[2J'), {
    code: 1,
    out: /^refused {2}"https:\/\/evil\.example\/\\u202e\\u001b\[2J"\n {2}It holds .*\n {2}Users would be sent to AUTH_SITE_URL instead: https:\/\/app\.example\.com\n {2}"app\.example\.org" on AUTH_URI_ALLOW_LIST permits nothing/,
  });
  t.match(await run(undefined), { code: 2, err: /which URL/ });
  t.match(await run('https://x.example', { AUTH_URI_ALLOW_LIST: 'https://a.**' }), {
    code: 2,
    err: /of AUTH_URI_ALLOW_LIST ends/,
  });
});
