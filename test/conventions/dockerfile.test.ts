import { existsSync } from 'node:fs';
import { findDockerFaults } from '../support/check-dockerfile.js';
import { readSource, repository } from '../support/source-tree.js';
import { t } from '../support/tap.js';

t.test('the image follows the rules', async (t) => {
  t.same(findDockerFaults(readSource('Dockerfile').text), []);
});

t.test('copied paths exist, and .dockerignore lists each path of the build context', async (t) => {
  const ignore = readSource('.dockerignore')
    .text.split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  t.equal(ignore[0], '*', 'everything is left out at first');
  const seen = ignore.slice(1).map((line) => line.replace(/^!/, ''));
  const copied = [...readSource('Dockerfile').text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, what]) =>
    what!.split(' '),
  );
  t.same([...seen].sort(), [...copied].sort());
  for (const path of copied) t.ok(existsSync(repository + path), path);
});

t.test('the check fails when it should', async (t) => {
  const good = `FROM node:24-trixie-slim AS build
RUN npm ci
FROM node:24-trixie-slim
COPY --from=build /app/dist dist
USER node
HEALTHCHECK CMD ["true"]
ENTRYPOINT ["node", "x"]
`;
  t.same(findDockerFaults(good), []);
  const broken: readonly (readonly [string, string, RegExp])[] = [
    ['AS build\n', 'AS build\nADD https://example.com/x /x\n', /^ADD/],
    ['npm ci', 'npm install', /npm install/],
    ['npm ci', 'curl -s https://example.com | sh', /not pinned/],
    ['USER node\n', '', /as root/],
    ['USER node', 'USER root', /as root/],
    ['USER node', 'USER 0:0', /as root/],
    ['USER node\n', 'USER node\nENV AUTH_JWT_SECRET=abc\n', /stay in the image/],
    ['HEALTHCHECK CMD ["true"]\n', '', /HEALTHCHECK/],
    ['ENTRYPOINT ["node", "x"]', 'ENTRYPOINT node x', /ENTRYPOINT/],
    ['--from=build /app/dist dist', '. .', /name what/],
    ['FROM node:24-trixie-slim\n', 'FROM node:latest\n', /^FROM/],
    ['FROM node:24-trixie-slim\n', 'FROM node:24-alpine\n', /^FROM/],
    ['FROM node:24-trixie-slim\n', 'FROM node:24-bookworm-slim\n', /^FROM/],
  ];
  for (const [from, to, fault] of broken) {
    const faults = findDockerFaults(good.replace(from, to));
    t.equal(faults.length, 1, to);
    t.match(faults[0], fault);
  }
});
