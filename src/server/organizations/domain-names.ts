const NAME = /^(?=.{4,243}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;

/** Whether it is the name of a domain with a dot. @param domain as spellDomain() returns it */
export const isDomainName = (domain: string): boolean => NAME.test(domain);
