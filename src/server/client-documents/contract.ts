/** Documents that clients publish about themselves: their address is the id of the client. */

export interface ClientDocument {
  readonly members: Readonly<Record<string, unknown>>;
  /** How long it may be used without reading it again. */
  readonly freshSeconds: number;
}

/** Why there is no document. What the network did is not told apart, so that nobody can explore it. */
export type DocumentFault = 'unreadable' | 'noJson' | 'busy';

export interface ClientDocuments {
  /**
   * @param url https; http to this machine where it is one of the private hosts
   * @param privateHosts that may be called; default: none
   */
  read(url: string, privateHosts?: readonly string[]): Promise<ClientDocument | { readonly fault: DocumentFault }>;
  /** The same for a list of texts: the redirect URIs of a sector (OpenID Connect Core 8.1). */
  readList(url: string): Promise<{ readonly texts: readonly string[] } | { readonly fault: DocumentFault }>;
}
