/** What a reader pastes: each code block of docs/ is read as its language, and what it calls is there. Others run what can run. */
import { spawnSync } from 'node:child_process';
import ts from 'typescript';
import { parse as parseYaml } from 'yaml';
import { runCommandLine } from '../../src/server/commands/dispatch.js';
import { parseEnvFile } from '../../src/server/config/env-file.js';
import { loadConfig } from '../../src/server/config/load.js';
import { endpoints } from '../../src/server/endpoints/index.js';
import { createRouter } from '../../src/server/http/router.js';
import { type CodeBlock, readCodeBlocks, readCurl, recordCommands } from '../support/code-blocks.js';
import { testEnvironment } from '../support/server.js';
import { readTree } from '../support/source-tree.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('what pages of the documentation show; npm test -- --changed runs it, too');

const BASE = 'http://localhost:8081';
/** Where pages say that Latchkey is. */
const LATCHKEY = /^(?:https?:\/\/)?(?:localhost:8081|auth\.example\.com)(?=\/)/;

const blocks = readTree(['docs'], '.md').flatMap(({ path, text }) =>
  readCodeBlocks(text).map((block) => ({ ...block, path })),
);
const of = (language: string) => blocks.filter((block) => block.language === language);
const where = ({ path, text }: CodeBlock & { path: string }) => `${path}: ${text.slice(0, 200)}`;

/** Settings and comments alone, and no command after them: what belongs into a .env. */
const isSettings = (text: string): boolean => {
  const { values, faults } = parseEnvFile(text, {});
  return faults.length === 0 && values.size > 0 && !/ (?:npm|node|latchkey) /.test(text);
};
const scripts = of('sh');
/** Those that a reader fills in first have no values yet. */
const settings = scripts.filter(({ text }) => isSettings(text) && !text.includes('…'));
const commands = scripts
  .filter(({ text }) => !isSettings(text))
  .flatMap((block) => recordCommands(block.text, BASE).map((words) => ({ ...block, words })));

t.test('what a block would run is found without running it', async (t) => {
  const script =
    'for NAME in a b; do ID=$(curl -X PUT "$API/$NAME" -d \'{"a": 1}\' | jq -r .id); done\nrm -r "$ID" > log\n';
  const found = recordCommands(script, BASE).map((words) => words.join(' '));
  const id = '00000000-0000-4000-8000-000000000000';
  t.same(found.sort(), [
    `curl -X PUT ${BASE}/a -d {"a": 1}`,
    `curl -X PUT ${BASE}/b -d {"a": 1}`,
    'jq -r .id',
    'jq -r .id',
    `rm -r ${id}`,
  ]);
  t.same(readCurl(['-s', '-H', 'A: b', `${BASE}/a`, '-d', 'a=1', '-d', 'b=2']), {
    method: 'POST',
    url: `${BASE}/a`,
    body: 'a=1&b=2',
  });
});

t.test('scripts are in the language of the shell', async (t) => {
  t.ok(scripts.length > 50);
  for (const block of scripts) {
    const { stderr } = spawnSync('bash', ['-n'], { input: block.text, encoding: 'utf8' });
    t.equal(stderr, '', where(block));
  }
});

t.test('settings are settings, with values that they can have', async (t) => {
  t.ok(settings.length > 10);
  for (const block of settings) {
    const given = Object.fromEntries(parseEnvFile(block.text, {}).values);
    const environment = { ...testEnvironment('postgres://a@b/c', {}), ...given };
    t.doesNotThrow(() => loadConfig({ environment, file: null }), where(block));
  }
});

t.test('commands of latchkey are there, with their options', async (t) => {
  const ours = commands.flatMap((command) => {
    // Itself, or after the name of another program: node, sudo, and that of its image.
    const at = command.words.findLastIndex((word) => /(?:^|\/)latchkey(?:\.cjs)?$/.test(word));
    return at < 0 || command.words[1] === 'build' ? [] : [{ ...command, words: command.words.slice(at + 1) }];
  });
  t.ok(ours.length > 20);
  for (const { words, ...block } of ours) {
    const faults: string[] = [];
    const io = { environment: {}, out: () => {}, err: (text: string) => void faults.push(text) };
    t.equal(await runCommandLine([...words, '--help'], io), 0, `${words.join(' ')}: ${faults.join()}\n${where(block)}`);
  }
});

t.test('requests of curl go to endpoints, with bodies that these read', async (t) => {
  const router = createRouter(endpoints as Parameters<typeof createRouter>[0]);
  const requests = commands
    .filter(({ words }) => words[0] === 'curl')
    .map(({ words, ...block }) => ({ block, ...readCurl(words.slice(1)) }))
    .filter(({ url }) => LATCHKEY.test(url));
  t.ok(requests.length > 20);
  for (const { block, method, url, body } of requests) {
    const [path = ''] = url.replace(LATCHKEY, '').split('?');
    const entry = router.match(path)?.methods.get(method as 'GET');
    t.ok(entry, `${method} ${path}\n${where(block)}`);
    if (body?.startsWith('{') !== true) continue;
    t.doesNotThrow(() => entry?.readBody?.(JSON.parse(body)), `${method} ${path}\n${where(block)}`);
  }
});

t.test('the others are read by their languages', async (t) => {
  for (const block of of('json'))
    for (const line of block.text.includes('\n{') ? block.text.trim().split('\n') : [block.text])
      t.doesNotThrow(() => JSON.parse(line), where(block));
  for (const block of of('yaml')) t.doesNotThrow(() => parseYaml(block.text), where(block));
  for (const block of of('js')) {
    const { diagnostics = [] } = ts.transpileModule(block.text, {
      reportDiagnostics: true,
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ESNext },
    });
    t.same(
      diagnostics.map(({ messageText }) => messageText),
      [],
      where(block),
    );
  }
});
