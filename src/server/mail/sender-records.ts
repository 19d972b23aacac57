/** What the DNS says of a sender, as mail servers read it: SPF (RFC 7208), DKIM (RFC 6376) and DMARC (RFC 7489). */

/** Texts of TXT records, or why the DNS could not be asked. */
export type ReadTexts = (name: string) => Promise<{ readonly texts: readonly string[] } | { readonly fault: string }>;

export interface RecordFinding {
  readonly kind: 'fine' | 'wrong' | 'hint';
  /** Begins with the record. A problem comes with its solution. */
  readonly text: string;
}

const wrong = (text: string): RecordFinding => ({ kind: 'wrong', text });
const hint = (text: string): RecordFinding => ({ kind: 'hint', text });
const fine = (text: string): RecordFinding => ({ kind: 'fine', text });

/**
 * @param domain of the From address, which is that of the return path, too
 * @param selector of the key that signs the mails; undefined: it is not looked for
 */
export async function readSenderRecords(
  domain: string,
  selector: string | undefined,
  read: ReadTexts,
): Promise<RecordFinding[]> {
  const [spf, dkim, dmarc] = await Promise.all([
    readSpf(domain, read),
    selector === undefined ? [hint(NO_SELECTOR)] : readDkim(`${selector}._domainkey.${domain}`, read),
    readDmarc(domain, read),
  ]);
  return [...spf, ...dkim, ...dmarc];
}

const NO_SELECTOR =
  'DKIM: give the selector that your mail provider names, with --selector, and its key is looked for. A mail that has arrived has it as s= in the header DKIM-Signature.';

async function readSpf(domain: string, read: ReadTexts): Promise<RecordFinding[]> {
  const answer = await read(domain);
  if ('fault' in answer) return [wrong(`SPF: ${domain} could not be looked up: ${answer.fault}.`)];
  const records = answer.texts.filter((text) => /^v=spf1(?: |$)/i.test(text));
  const [record] = records;
  if (record === undefined)
    return [
      wrong(
        `SPF: ${domain} has no record. Add a TXT record there with what your mail provider names, as in v=spf1 include:spf.example.com ~all`,
      ),
    ];
  if (records.length > 1)
    return [wrong(`SPF: ${domain} has ${records.length} records, and none of them counts: put them into one.`)];
  const [, sign, word] = / ([+?~-]?)(all|redirect=\S+)\b/i.exec(record) ?? [];
  if (word === undefined) return [hint(`SPF: ${record} has no end. Add ~all, or others may send in your name.`)];
  if (word.toLowerCase() === 'all' && (sign === '' || sign === '+'))
    return [wrong(`SPF: ${record} lets everyone send in your name. Replace ${sign}all with ~all.`)];
  return [fine(`SPF: ${record}`)];
}

async function readDkim(name: string, read: ReadTexts): Promise<RecordFinding[]> {
  const answer = await read(name);
  if ('fault' in answer) return [wrong(`DKIM: ${name} could not be looked up: ${answer.fault}.`)];
  const record = answer.texts.find((text) => tagOf(text, 'p') !== undefined);
  if (record === undefined)
    return [wrong(`DKIM: ${name} has no key. Add the record that your mail provider names, or correct the selector.`)];
  if (tagOf(record, 'p') === '') return [wrong(`DKIM: the key of ${name} is withdrawn (p is empty).`)];
  const isTest = tagOf(record, 't')?.split(':').includes('y') === true;
  if (isTest) return [hint(`DKIM: the key of ${name} is marked as a test (t=y): remove that once mails arrive.`)];
  return [fine(`DKIM: ${name} has a key.`)];
}

async function readDmarc(domain: string, read: ReadTexts): Promise<RecordFinding[]> {
  for (const name of dmarcNames(domain)) {
    const answer = await read(name);
    if ('fault' in answer) return [wrong(`DMARC: ${name} could not be looked up: ${answer.fault}.`)];
    const record = answer.texts.find((text) => /^v=DMARC1\b/i.test(text));
    if (record !== undefined) return describeDmarc(name, record);
  }
  return [
    wrong(
      `DMARC: ${domain} has no policy. Add a TXT record at _dmarc.${domain}, as in v=DMARC1; p=none; rua=mailto:dmarc@${domain}`,
    ),
  ];
}

/** A domain without a policy has that of the one above it. */
function dmarcNames(domain: string): string[] {
  const labels = domain.split('.');
  const count = Math.max(1, labels.length - 1);
  return Array.from({ length: count }, (_, first) => `_dmarc.${labels.slice(first).join('.')}`);
}

function describeDmarc(name: string, record: string): RecordFinding[] {
  const policy = tagOf(record, 'p')?.toLowerCase();
  const found =
    policy === undefined || !['none', 'quarantine', 'reject'].includes(policy)
      ? wrong(`DMARC: ${record} at ${name} has no policy: add p=none to begin with.`)
      : policy === 'none'
        ? hint(`DMARC: ${name} only reports (p=none): after some weeks of good reports, change it to p=quarantine.`)
        : fine(`DMARC: ${record}`);
  if (tagOf(record, 'rua') !== undefined) return [found];
  return [found, hint(`DMARC: ${name} names no address for reports: add rua=mailto:ADDRESS, or you never see any.`)];
}

/** Of `name=value; name=value`. */
function tagOf(record: string, name: string): string | undefined {
  for (const part of record.split(';')) {
    const at = part.indexOf('=');
    if (at > 0 && part.slice(0, at).trim().toLowerCase() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}
