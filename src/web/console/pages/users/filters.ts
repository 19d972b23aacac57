import type { FilterField } from '../../parts/filters.js';

const yesNo = (yes: string, no: string) => [
  { value: 'true', label: yes },
  { value: 'false', label: no },
];

export const filterFields: readonly FilterField[] = [
  { name: 'q', label: 'Search', kind: 'search', hint: 'Beginning of an email, phone or id' },
  { name: 'confirmed', label: 'Confirmed', kind: 'choice', choices: yesNo('Confirmed', 'Unconfirmed') },
  { name: 'banned', label: 'Banned', kind: 'choice', choices: yesNo('Banned', 'Not banned') },
  { name: 'anonymous', label: 'Anonymous', kind: 'choice', choices: yesNo('Anonymous', 'Not anonymous'), isRare: true },
  { name: 'provider', label: 'Provider', kind: 'text', isRare: true },
  { name: 'created_from', label: 'Created from', kind: 'date', isRare: true },
  { name: 'created_before', label: 'Created before', kind: 'date', isRare: true },
  { name: 'signed_in_from', label: 'Signed in from', kind: 'date', isRare: true },
  { name: 'signed_in_before', label: 'Not since', kind: 'date', isRare: true },
];

export const filterNames = filterFields.map(({ name }) => name);
