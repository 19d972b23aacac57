interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** @returns one sentence for each rule the text of a Dockerfile breaks */
export function findDockerFaults(text: string): string[] {
  const instructions = readInstructions(text);
  const faults: string[] = [];
  const stages: string[] = [];
  for (const { name, rest } of instructions) {
    if (name === 'FROM') {
      const [image = '', , alias] = rest.split(/\s+/);
      if (!stages.includes(image) && !/^node:(?:22|24)-trixie-slim(?:@sha256:[0-9a-f]{64})?$/.test(image)) {
        faults.push(`FROM ${image}: only Node 22 or 24 on Debian 13 (glibc 2.38), with its major version`);
      }
      stages.push(alias ?? '');
    }
    if (name === 'ADD') faults.push(`ADD ${rest}: COPY what is in the repository, fetch nothing`);
    if (name === 'RUN' && /\b(?:curl|wget)\b/.test(rest))
      faults.push(`RUN ${rest}: fetches something that is not pinned`);
    if (name === 'RUN' && /\bnpm (?:i|install)\b/.test(rest))
      faults.push('RUN npm install: npm ci keeps to the lockfile');
    if (name === 'COPY' && /(?:^|\s)\.(?:\/)?\s/.test(rest)) faults.push(`COPY ${rest}: name what is copied`);
    if ((name === 'ENV' || name === 'ARG') && /SECRET|PASSWORD|PASS\b|TOKEN|DATABASE_URL|_KEY\b/i.test(rest)) {
      faults.push(`${name} ${rest.split('=')[0]}: a secret would stay in the image`);
    }
  }
  const last = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
  const user = last.findLast(({ name }) => name === 'USER')?.rest;
  if (user === undefined || /^(?:root|0)(?::|$)/.test(user)) faults.push('the program runs as root');
  if (!last.some(({ name }) => name === 'HEALTHCHECK')) faults.push('there is no HEALTHCHECK');
  if (!last.some(({ name, rest }) => name === 'ENTRYPOINT' && rest.startsWith('['))) {
    faults.push('no ENTRYPOINT in exec form: a shell in between swallows signals');
  }
  return faults;
}

function readInstructions(text: string): Instruction[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const joined = lines.join('\n').replaceAll(/\\\n\s*/g, ' ');
  return joined.split('\n').map((line) => {
    const [, name = '', rest = ''] = /^\s*(\S+)\s*(.*)$/.exec(line) ?? [];
    return { name: name.toUpperCase(), rest };
  });
}
