/** The five questions of `latchkey init`, with what each of them needs besides. */
import { readFileSync } from 'node:fs';
import type { CommandIo } from '../../cli/types.js';
import type { Parsed } from '../../config/parse.js';
import type { Answers, MailAnswers, ProviderAnswers } from './answers.js';
import type { Interview, Question } from './interview.js';
import {
  type NamedProvider,
  parseAny,
  parseDomain,
  parseFilled,
  parseLauncher,
  parseMailServer,
  parseOperator,
  parsePages,
  parseProviders,
  parseSite,
  ruleOf,
  suggestDomain,
} from './rules.js';

type Values = Readonly<Record<string, string | boolean | undefined>>;

/** @returns undefined where no person can be asked, and something is missing or wrong */
export async function askAll(
  interview: Interview,
  values: Values,
  io: Pick<CommandIo, 'environment' | 'err'>,
): Promise<Answers | undefined> {
  const flag = (name: string) => ({ source: `--${name}`, given: values[name] as string | undefined });
  // The password of a mail server in a flag could be read by everyone on the machine.
  const variable = (name: string) => ({ source: name, given: io.environment[name] || undefined });
  const ask = <Value>(question: Question<Value>) => interview.ask(question);

  const launcher = await ask({
    ...flag('for'),
    ...{ text: 'Start it with compose or systemd', fallback: 'compose', isDetail: true, parse: parseLauncher },
  });
  const siteUrl = await ask({
    ...flag('site'),
    ...{ text: '1 of 5  Address of your site, where people come back to after a sign-in', parse: parseSite },
  });
  const domain = siteUrl === undefined ? undefined : await askDomain(siteUrl);
  const databaseUrl =
    launcher === 'systemd'
      ? await ask({
          ...variable('DATABASE_URL'),
          text: '        Postgres, as in postgres://latchkey:PASSWORD@localhost:5432/latchkey',
          ...{ isSecret: true, parse: ruleOf('DATABASE_URL') },
        })
      : null;

  const mail = await askMail();
  const providers = await askProviders();
  const pagesName = await ask({
    ...flag('pages'),
    text: '4 of 5  Name of your service on the hosted sign-in pages, or no',
    ...(siteUrl !== undefined && { fallback: new URL(siteUrl).hostname }),
    parse: parsePages,
  });
  const operator = await ask({
    ...flag('operator'),
    ...{ text: '5 of 5  First operator of the console, as ada@example.com, or none', fallback: 'none' },
    parse: parseOperator,
  });
  if (interview.problems.length > 0) return undefined;
  return { launcher, siteUrl, domain, databaseUrl, mail, providers, pagesName, operator } as Answers;

  function askDomain(site: string) {
    const text = '        Host name of this server, whose DNS leads here';
    const fallback = suggestDomain(site);
    return ask({ ...flag('domain'), text, fallback, isDetail: true, parse: parseDomain });
  }

  async function askMail(): Promise<MailAnswers | null | undefined> {
    const text = '2 of 5  Mail server, as smtp://USER@HOST:PORT, or none';
    const server = await ask({ ...flag('mail'), text, parse: parseMailServer });
    if (!server) return server;
    const from = await ask({
      ...flag('from'),
      text: '        From address of all mails',
      ...(domain !== undefined && { fallback: `no-reply@${domain.replace(/^auth\./, '')}` }),
      ...{ isDetail: true, parse: ruleOf('AUTH_SMTP_ADMIN_EMAIL') },
    });
    const password =
      server.user === ''
        ? ''
        : await askSecret('AUTH_SMTP_PASS', `        Password of ${server.user} (it is not shown)`);
    return from === undefined || password === undefined ? undefined : { ...server, from, password };
  }

  async function askProviders(): Promise<ProviderAnswers[]> {
    const text = '3 of 5  Identity providers, as google,github, or none';
    const named = (await ask({ ...flag('providers'), text, fallback: 'none', parse: parseProviders })) ?? [];
    const answers: ProviderAnswers[] = [];
    // One after the other: they are questions.
    for (const provider of named) answers.push(await askProvider(provider));
    return answers;
  }

  async function askProvider({ name, clientId }: NamedProvider): Promise<ProviderAnswers> {
    const prefix = `AUTH_EXTERNAL_${name.toUpperCase()}`;
    const fields: Record<string, string> = {};
    const keep = (field: string, text: string | undefined) => {
      if (text) fields[field] = text;
    };
    const askField = (field: string, text: string, rest: Partial<Question<string>> = {}) =>
      ask({ ...variable(`${prefix}_${field}`), text: `        ${text}`, parse: parseFilled, ...rest });
    const given = clientId ?? io.environment[`${prefix}_CLIENT_ID`];
    keep('CLIENT_ID', await askField('CLIENT_ID', `Client ID at ${name}`, { given: given || undefined }));
    if (name === 'apple') {
      keep('SECRET', await askSecret(`${prefix}_SECRET`, '        Path of the key from Apple (.p8)', readKeyFile));
      keep('TEAM_ID', await askField('TEAM_ID', 'Team ID'));
      keep('KEY_ID', await askField('KEY_ID', 'ID of that key'));
      return { name, fields };
    }
    keep('SECRET', await askSecret(`${prefix}_SECRET`, `        Client secret at ${name} (it is not shown)`));
    const address = ruleOf(`${prefix}_URL`);
    if (name === 'keycloak') keep('URL', await askField('URL', 'Address of the realm', { parse: address }));
    if (name === 'azure') {
      const text = 'Address of your tenant; Enter: any Microsoft account';
      const parse = (url: string) => (url === '' ? parseAny(url) : address(url));
      keep('URL', await askField('URL', text, { parse, fallback: '', isDetail: true }));
    }
    return { name, fields };
  }

  /** From the variable, from the file that the variable with _FILE names, or without showing what is typed. */
  function askSecret(name: string, text: string, parseTyped?: Question<string>['parse']) {
    const path = io.environment[`${name}_FILE`];
    const given = variable(name);
    const parse = parseTyped ?? parseFilled;
    if (given.given === undefined && path) {
      return ask({ source: `${name}_FILE`, given: path, text, isSecret: parseTyped === undefined, parse: readKeyFile });
    }
    const isTyped = given.given === undefined;
    return ask({ ...given, text, isSecret: parseTyped === undefined, parse: isTyped ? parse : parseFilled });
  }
}

function readKeyFile(path: string): Parsed<string> {
  try {
    const text = readFileSync(path, 'utf8').trim();
    return text === '' ? { fault: 'must not be the path of an empty file' } : { value: text };
  } catch (error) {
    return { fault: `must be the path of a file that can be read (${(error as NodeJS.ErrnoException).code})` };
  }
}
