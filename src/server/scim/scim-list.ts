const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

/** A list that has everything (RFC 7644 3.4.2). */
export const listAll = (resources: readonly object[]) => ({
  schemas: [LIST_SCHEMA],
  totalResults: resources.length,
  startIndex: 1,
  itemsPerPage: resources.length,
  Resources: resources,
});

/** One page of a list. */
export interface ScimPage {
  readonly total: number;
  readonly resources: readonly object[];
  /** Of the first resource, from 1; null: the page was asked for by cursor. */
  readonly startIndex: number | null;
  /** Of the next page; null: this is the last one, or pages are asked for by index. */
  readonly nextCursor: string | null;
}

export const viewScimPage = ({ total, resources, startIndex, nextCursor }: ScimPage) => ({
  schemas: [LIST_SCHEMA],
  totalResults: total,
  ...(startIndex !== null && { startIndex }),
  itemsPerPage: resources.length,
  ...(nextCursor !== null && { nextCursor }),
  Resources: resources,
});
