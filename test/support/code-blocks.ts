/** The code blocks of the documentation, for tests that run them as they are written. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSource } from './source-tree.js';

const FENCED = /^( *)```(\w*)\n(.*?)^ *```/gms;

export interface CodeBlock {
  /** Of its fence; empty for none. */
  readonly language: string;
  readonly text: string;
}

/** @returns the blocks of a page, in their order */
export const readCodeBlocks = (page: string): CodeBlock[] =>
  [...page.matchAll(FENCED)].map(([, , language, text]) => ({ language: language!, text: text! }));

/** @param path from the root of the repository. @returns its blocks of one language */
export const codeBlocksOf = (path: string, language: string): string[] =>
  readCodeBlocks(readSource(path).text)
    .filter((block) => block.language === language)
    .map(({ text }) => text);

/** What programs that are not there print: it may be an id, a token or a path. */
const SOMETHING = '00000000-0000-4000-8000-000000000000';
/**
 * Reports the words of commands that are no part of the shell, each ended by NUL, a command by another one. It writes once, since
 * both sides of a pipe do.
 */
const RECORDER = `
command_not_found_handle() { printf '%s\\0' "$@" '' >&3; echo '${SOMETHING}'; }
cd() { :; }
`;

/**
 * Runs a block in a shell that has no programs, so that nothing happens but what the shell itself does.
 * @param base what the variables of addresses have that the page does not set; others have an id
 * @returns the words of each command that it would have run
 */
export function recordCommands(block: string, base: string): string[][] {
  const names = [...block.matchAll(/\$\{?([A-Z][A-Z0-9_]*)/g)].map(([, name]) => name!);
  const isAddress = (name: string) => /^(?:API|URL|AUTH|ISSUER)$/.test(name);
  const variables = Object.fromEntries(names.map((name) => [name, isAddress(name) ? base : SOMETHING]));
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-blocks-'));
  try {
    const { output } = spawnSync('/bin/bash', ['--norc', '--noprofile', '-c', `${RECORDER}${block}\nwait`], {
      cwd: directory,
      env: { ...variables, PATH: directory },
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    return (output[3] as unknown as Buffer)
      .toString()
      .split('\0\0')
      .filter((words) => words !== '')
      .map((words) => words.split('\0'));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** What a command of curl sends. */
export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  /** Undefined without one, or where it is read from a file. */
  readonly body: string | undefined;
}

/** @param words after `curl`, with the options that the documentation uses */
export function readCurl(words: readonly string[]): CurlRequest {
  let method: string | undefined;
  let url = '';
  const data: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word === '-X') method = words[++at];
    else if (word === '-d') data.push(words[++at]!);
    else if (/^-[Huow]$/.test(word)) at++;
    else if (!/^-\w+$/.test(word)) url = word;
  }
  const body = data.join('&');
  return {
    method: method ?? (data.length > 0 ? 'POST' : 'GET'),
    url,
    body: body === '' || body.startsWith('@') ? undefined : body,
  };
}
