/** The realm of a company in Keycloak, made as docs/sso.md says. */
import type { Keycloak } from './keycloak.js';

export const ANN = { username: 'ann', password: 'the password of Ann' };

export interface Realm {
  readonly metadataUrl: string;
  /** Id of Ann. */
  readonly userId: string;
  /** Changes attributes and fields of the client. */
  changeClient(attributes: Record<string, string>, fields?: object): Promise<void>;
  /** A key that signs from now on. */
  addKey(): Promise<void>;
  /** How many sessions Ann has there. */
  countSessions(): Promise<number>;
  /** As an administrator does. */
  endSessions(): Promise<void>;
}

/** @param ownMetadata the file that administrators of the company get from us */
export async function makeRealm({ url, admin }: Keycloak, name: string, ownMetadata: string): Promise<Realm> {
  await admin('POST', '', { realm: name, enabled: true });
  await admin('POST', `/${name}/groups`, { name: 'staff' });
  await admin('POST', `/${name}/users`, {
    username: ANN.username,
    email: 'ann@acme.example',
    firstName: 'Ann',
    lastName: 'Archer',
    enabled: true,
    emailVerified: true,
    credentials: [{ type: 'password', value: ANN.password, temporary: false }],
    groups: ['/staff'],
  });
  // "Import client" of its console.
  const imported = await admin('POST', `/${name}/client-description-converter`, ownMetadata);
  const mapper = (title: string, protocolMapper: string, config: Record<string, string>) => ({
    name: title,
    protocol: 'saml',
    protocolMapper,
    config: { 'attribute.nameformat': 'Basic', ...config },
  });
  await admin('POST', `/${name}/clients`, {
    ...imported,
    protocolMappers: [
      mapper('email', 'saml-user-property-mapper', { 'user.attribute': 'email', 'attribute.name': 'email' }),
      mapper('groups', 'saml-group-membership-mapper', {
        'attribute.name': 'groups',
        single: 'true',
        'full.path': 'false',
      }),
    ],
  });
  const [{ id: userId }] = await admin('GET', `/${name}/users?username=${ANN.username}`);
  const clientId = encodeURIComponent(imported.clientId);
  const findClient = async () => (await admin('GET', `/${name}/clients?clientId=${clientId}`))[0];
  return {
    metadataUrl: `${url}/realms/${name}/protocol/saml/descriptor`,
    userId,
    async changeClient(attributes, fields = {}) {
      const client = await findClient();
      const changed = { ...client, ...fields, attributes: { ...client.attributes, ...attributes } };
      await admin('PUT', `/${name}/clients/${client.id}`, changed);
    },
    async addKey() {
      const { id } = await admin('GET', `/${name}`);
      await admin('POST', `/${name}/components`, {
        name: 'next',
        parentId: id,
        providerId: 'rsa-generated',
        providerType: 'org.keycloak.keys.KeyProvider',
        config: { priority: ['200'], enabled: ['true'], active: ['true'], keySize: ['2048'] },
      });
    },
    countSessions: async () => (await admin('GET', `/${name}/users/${userId}/sessions`)).length,
    endSessions: () => admin('POST', `/${name}/users/${userId}/logout`),
  };
}
