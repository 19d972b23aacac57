/** What can be wrong with a field of an organization that people fill in on the pages (pages/error-texts.ts has the words). */
export type FormFault =
  | 'name_length'
  | 'name_unfit'
  | 'name_invisible'
  | 'slug_form'
  | 'slug_reserved'
  | 'slug_like_id'
  | 'slug_differs'
  | 'domain_form'
  | 'domain_shared'
  | 'roles_none'
  | 'owner_by_rule'
  | 'policy_hours'
  | 'policy_domains'
  // Of policies that would shut out who sets them.
  | 'unmet_factor'
  | 'unmet_company'
  | 'unmet_hours';
