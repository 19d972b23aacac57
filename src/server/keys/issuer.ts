import type { Config } from '../config/settings.js';

type IssuerSettings = Pick<Config, 'jwtIssuer' | 'apiExternalUrl'>;

/** The issuer identifier (RFC 8414 2). */
export const issuerOf = ({ jwtIssuer, apiExternalUrl }: IssuerSettings): string =>
  jwtIssuer === '' ? apiExternalUrl : jwtIssuer;

/** Where the endpoints are: the issuer without slashes at its end. */
export const issuerBase = (settings: IssuerSettings): string => issuerOf(settings).replace(/\/+$/, '');
