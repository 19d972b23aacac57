/** Makes the identity provider known to the server, by the calls with which administrators add others. */
import type { Log } from '../../server/telemetry/log.js';
import type { IdentityProvider } from './company-sign-in.js';
import { COMPANY_DOMAIN, companyMapping } from './people.js';
import { renderProviderMetadata } from './provider-metadata.js';

const RESOURCE_ID = 'latchkey-dev';
const PATH = '/admin/sso/providers';

interface Registered {
  readonly saml: { readonly metadata_xml: string; readonly name_id_format?: string };
}

/**
 * Adds the provider at the first start. Later ones change its metadata where the port, and so its addresses, is another one;
 * what a developer has changed besides stays.
 * @param url of the server. @param token of an administrator
 * @returns false: the server refuses it, and the log says why
 */
export async function registerProvider(
  { baseUrl, key }: Pick<IdentityProvider, 'baseUrl' | 'key'>,
  url: string,
  token: string,
  log: Log,
): Promise<boolean> {
  const metadata_xml = renderProviderMetadata(baseUrl, (await key).certificate);
  const call = (method: string, path: string, body?: object) =>
    fetch(url + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  try {
    // The list: one that is not there is no error, which would be in the log of the first start.
    const list = await call('GET', `${PATH}?resource_id=${RESOURCE_ID}`);
    const { items = [] } = (await list.clone().json()) as { readonly items?: readonly unknown[] };
    const answer = list.ok ? await (items.length > 0 ? change() : add()) : list;
    if (answer.ok) return true;
    log.warn({ component: 'dev', reason: await answer.text() }, 'The company for development could not be added');
  } catch (error) {
    log.warn({ component: 'dev', reason: (error as Error).message }, 'The company for development could not be added');
  }
  return false;

  async function change(): Promise<Response> {
    const path = `${PATH}/resource_${RESOURCE_ID}`;
    const found = await call('GET', path);
    if (!found.ok) return found;
    const { saml } = (await found.clone().json()) as Registered;
    if (saml.metadata_xml === metadata_xml) return found;
    return call('PUT', path, { metadata_xml, name_id_format: saml.name_id_format });
  }

  function add(): Promise<Response> {
    const domains = [COMPANY_DOMAIN];
    const fields = { domains, attribute_mapping: companyMapping, resource_id: RESOURCE_ID };
    return call('POST', PATH, { type: 'saml', metadata_xml, ...fields });
  }
}
