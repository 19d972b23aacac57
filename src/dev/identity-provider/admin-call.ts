/** Calls of the server as an administrator makes them. */
export type AdminCall = (method: string, path: string, body?: object) => Promise<Response>;

/** @param token makes one, or is one that is good for long enough */
export const adminCalls =
  ({ url, token }: { readonly url: string; readonly token: string | (() => Promise<string>) }): AdminCall =>
  async (method, path, body) => {
    const Authorization = `Bearer ${typeof token === 'string' ? token : await token()}`;
    const headers = { Authorization, 'Content-Type': 'application/json' };
    return fetch(url + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  };
