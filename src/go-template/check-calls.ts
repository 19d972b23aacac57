/** Refuses calls of functions that cannot succeed, as far as literals show it. */
import { TemplateError } from './error.js';
import { FORMAT_PART, isIndex } from './functions.js';
import type { Expression } from './nodes.js';

type Call = Extract<Expression, { type: 'call' }>;

/** Least and greatest number of arguments, and how to call it; the others take any number. */
const ARGUMENTS: ReadonlyMap<string, readonly [least: number, most: number, example: string]> = new Map([
  ['and', [1, Infinity, 'and .A .B']],
  ['or', [1, Infinity, 'or .A .B']],
  ['not', [1, 1, 'not .A']],
  ['eq', [2, Infinity, 'eq .A .B']],
  ['ne', [2, 2, 'ne .A .B']],
  ['lt', [2, 2, 'lt .A .B']],
  ['le', [2, 2, 'le .A .B']],
  ['gt', [2, 2, 'gt .A .B']],
  ['ge', [2, 2, 'ge .A .B']],
  ['index', [1, Infinity, 'index .A "key"']],
  ['len', [1, 1, 'len .A']],
  ['slice', [1, 4, 'slice .Token 0 3']],
  ['printf', [1, Infinity, 'printf "%s" .A']],
]);

/** @throws TemplateError for a wrong number of arguments, an index of `slice`, or a format of `printf` */
export function checkCall({ name, values }: Call): void {
  const [least, most, example] = ARGUMENTS.get(name) ?? [0, Infinity, ''];
  if (values.length < least || values.length > most) {
    throw new TemplateError(`${name} has ${values.length} arguments: write {{ ${example} }}`);
  }
  if (name === 'slice') checkSlice(values);
  if (name === 'printf') checkFormat(values);
}

function checkSlice([value, ...indexes]: readonly Expression[]): void {
  for (const index of indexes) {
    if (index.type === 'literal' && !isIndex(index.value)) {
      throw new TemplateError(`slice takes whole numbers from 0, not ${index.value}: write {{ slice .Token 0 3 }}`);
    }
  }
  if (indexes.length === 3 && value?.type === 'literal') {
    throw new TemplateError('slice of a text takes two numbers at most: write {{ slice .Token 0 3 }}');
  }
}

function checkFormat([format, ...values]: readonly Expression[]): void {
  if (format?.type !== 'literal') return;
  if (typeof format.value !== 'string') throw new TemplateError('printf begins with a text: {{ printf "%s" .A }}');
  let count = 0;
  for (const part of format.value.matchAll(FORMAT_PART)) {
    const [text, , , , verb] = part;
    if (verb === undefined) {
      const shown = JSON.stringify(format.value.slice(part.index, part.index + 5));
      const cure =
        'write %v %s %d %q %t %f or %x with - or 0, a width and precision of two digits, or %% for a percent sign';
      throw new TemplateError(`printf does not support ${shown}: ${cure}`);
    }
    if (verb !== '%') count += 1;
    else if (text !== '%%') throw new TemplateError(`printf does not support ${JSON.stringify(text)}: write %%`);
  }
  if (count !== values.length) {
    const cure = 'write one verb for each value behind it';
    throw new TemplateError(
      `printf ${JSON.stringify(format.value)} prints ${count} values, not ${values.length}: ${cure}`,
    );
  }
}
