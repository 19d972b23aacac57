/** The company of the identity provider, and the people who work there. */

/** Reserved for examples (RFC 2606), so no mail of it reaches a person. */
export const COMPANY_DOMAIN = 'company.example';

export interface CompanyPerson {
  /** Which button was pressed. */
  readonly key: string;
  /** The persistent name id: it stays when the address changes. */
  readonly subject: string;
  readonly givenName: string;
  readonly familyName: string;
  readonly groups: readonly string[];
}

export const companyPeople: readonly CompanyPerson[] = [
  {
    ...{ key: 'ada', subject: 'employee-1815', givenName: 'Ada', familyName: 'Lovelace' },
    groups: ['engineering', 'administrators'],
  },
  { key: 'grace', subject: 'employee-1906', givenName: 'Grace', familyName: 'Hopper', groups: ['engineering'] },
];

export const fullNameOf = ({ givenName, familyName }: CompanyPerson): string => `${givenName} ${familyName}`;

export const addressOfPerson = ({ key }: CompanyPerson): string => `${key}@${COMPANY_DOMAIN}`;

/** Attributes under the names that directories have for them (RFC 4524, RFC 2798). */
export const attributesOfPerson = (person: CompanyPerson): Readonly<Record<string, readonly string[]>> => ({
  mail: [addressOfPerson(person)],
  displayName: [fullNameOf(person)],
  givenName: [person.givenName],
  sn: [person.familyName],
  memberOf: person.groups,
});

/** What the server makes of these attributes: names, and groups that people cannot edit. */
export const companyMapping = {
  keys: {
    email: { name: 'mail' },
    // Whom SCIM has provisioned under the address is found by it: the NameID is another word.
    scim_user_name: { name: 'mail' },
    name: { name: 'displayName' },
    given_name: { name: 'givenName' },
    family_name: { name: 'sn' },
    groups: { name: 'memberOf', array: true, target: 'app_metadata' },
  },
};
