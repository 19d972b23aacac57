/** Formats of a name id (SAML Core 8.3), as administrators choose them, and their URIs. */
export const nameIdFormats = {
  persistent: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  emailAddress: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  transient: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
  unspecified: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
} as const;

/** @param format a name or, as clients of supabase/auth send it, a URI. @returns undefined for another format */
export const nameIdFormatUri = (format: string): string | undefined =>
  Object.entries(nameIdFormats).find(([name, uri]) => name === format || uri === format)?.[1];
