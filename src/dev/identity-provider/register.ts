/** Makes the identity provider known to the server, by the calls with which administrators add others. */
import type { SsoProviderRow } from '../../db/sso-providers.js';
import type { Log } from '../../server/telemetry/log.js';
import { adminCalls } from './admin-call.js';
import type { IdentityProvider } from './company-sign-in.js';
import { COMPANY_DOMAIN, companyMapping } from './people.js';
import { renderProviderMetadata } from './provider-metadata.js';

/** By which it is found again. */
export const COMPANY_RESOURCE_ID = 'latchkey-dev';

const PATH = '/admin/sso/providers';

/**
 * Adds the provider at the first start. Later ones change its metadata where the port, and so its addresses, is another one;
 * what a developer has changed besides stays. Mostly there is nothing to do, and nothing is called.
 * @param known what the database has of it
 * @param url of the server. @param token of an administrator
 * @returns false: the server refuses it, and the log says why
 */
export async function registerProvider(
  { baseUrl, key }: Pick<IdentityProvider, 'baseUrl' | 'key'>,
  known: Pick<SsoProviderRow, 'metadata_xml' | 'name_id_format'> | undefined,
  { url, token }: { readonly url: string; readonly token: string },
  log: Log,
): Promise<boolean> {
  const metadata_xml = renderProviderMetadata(baseUrl, (await key).certificate);
  if (known?.metadata_xml === metadata_xml) return true;
  const call = adminCalls({ url, token });
  const add = { type: 'saml', domains: [COMPANY_DOMAIN], attribute_mapping: companyMapping, metadata_xml };
  const change = { metadata_xml, ...(known?.name_id_format && { name_id_format: known.name_id_format }) };
  const refuse = (reason: string): false => {
    log.warn({ component: 'dev', reason }, 'The company for development could not be added');
    return false;
  };
  try {
    const answer = await (known === undefined
      ? call('POST', PATH, { ...add, resource_id: COMPANY_RESOURCE_ID })
      : call('PUT', `${PATH}/resource_${COMPANY_RESOURCE_ID}`, change));
    return answer.ok || refuse(await answer.text());
  } catch (error) {
    return refuse((error as Error).message);
  }
}
