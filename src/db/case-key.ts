/**
 * A name without regard to case, as it is kept, looked for and filtered by. Made here only: lower() of a database differs by its locale.
 *
 * @param name of a person or group (SCIM)
 */
export const caseKey = (name: string): string => name.toLowerCase();
