/** How attributes are described (RFC 7643 7): discovery tells it, and reading, patches and filters follow it. */

export interface ScimAttribute {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'reference' | 'complex' | 'dateTime';
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact: boolean;
  readonly mutability: 'readWrite' | 'readOnly' | 'writeOnly' | 'immutable';
  readonly returned: 'default' | 'always' | 'never' | 'request';
  readonly uniqueness: 'none' | 'server';
  readonly canonicalValues?: readonly string[];
  readonly referenceTypes?: readonly string[];
  readonly subAttributes?: readonly ScimAttribute[];
}

type Changes = Partial<Omit<ScimAttribute, 'name' | 'description'>>;

const text = (name: string, description: string, changes: Changes = {}): ScimAttribute => ({
  name,
  type: 'string',
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...changes,
});

const flag = (name: string, description: string): ScimAttribute => text(name, description, { type: 'boolean' });

const link = (name: string, description: string, changes: Changes = {}): ScimAttribute =>
  text(name, description, { type: 'reference', caseExact: true, referenceTypes: ['external'], ...changes });

const complex = (
  name: string,
  description: string,
  subAttributes: readonly ScimAttribute[],
  changes: Changes = {},
): ScimAttribute => text(name, description, { type: 'complex', subAttributes, ...changes });

/** Several values with a type, of which one may be the first choice (RFC 7643 2.4). */
const values = (
  name: string,
  description: string,
  types: readonly string[] = [],
  value: ScimAttribute = text('value', 'The value.'),
): ScimAttribute =>
  complex(
    name,
    description,
    [
      value,
      text('display', 'For people.'),
      text('type', 'What it is for.', types.length === 0 ? {} : { canonicalValues: types }),
      flag('primary', 'The first choice; true once at most.'),
    ],
    { multiValued: true },
  );

/** Makes descriptions. */
export const attributes = { text, flag, link, complex, values };
