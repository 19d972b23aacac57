import { randomBytes } from 'node:crypto';
import { parseHookSecrets } from '../config/parse-hooks.js';
import { prepareSigning } from '../hooks/signature.js';
import type { ServerSecrets } from '../sealing/key-ring.js';
import { createTextSealer } from '../sealing/text-sealer.js';

/** A secret of an endpoint. The one that a rotation has replaced signs beside the new one until it expires. */
interface EndpointSecret {
  readonly secret: string;
  /** RFC 3339; null: the current one. */
  readonly expires_at: string | null;
}

/** The secrets of an endpoint open with its id only. */
export interface SecretSealer {
  /** @returns null when they were sealed with another secret */
  openSigning(id: string, sealed: string): ReturnType<typeof prepareSigning> | null;
  /** A first secret. */
  make(id: string): NewSecret;
  /** A new secret before those that are valid now; the current one expires after {@link OVERLAP_MS}. */
  rotate(id: string, sealed: string): NewSecret & { readonly previousExpiresAt: string };
}

export interface NewSecret {
  readonly secret: string;
  readonly sealed: string;
}

/** For receivers to change over. */
const OVERLAP_MS = 24 * 3_600_000;
/** Each secret adds a signature to each delivery. */
const MAX_SECRETS = 4;

export function openSecretSealer(secrets: ServerSecrets): SecretSealer {
  const sealer = createTextSealer(secrets, 'latchkey webhook secrets v1');

  /** The secrets that are valid now, the current one first; empty when they were sealed with another secret. */
  function open(id: string, sealed: string): readonly EndpointSecret[] {
    const text = sealer.open(id, sealed);
    if (text === null) return [];
    const now = Date.now();
    return (JSON.parse(text) as EndpointSecret[]).filter(
      ({ expires_at: end }) => end === null || Date.parse(end) > now,
    );
  }

  const seal = (id: string, list: readonly EndpointSecret[]) => sealer.seal(id, JSON.stringify(list));

  return {
    make(id) {
      const secret = makeWebhookSecret();
      return { secret, sealed: seal(id, [{ secret, expires_at: null }]) };
    },
    rotate(id, sealed) {
      const secret = makeWebhookSecret();
      const previousExpiresAt = new Date(Date.now() + OVERLAP_MS).toISOString();
      const earlier = open(id, sealed).map((one) => ({ ...one, expires_at: one.expires_at ?? previousExpiresAt }));
      const kept = earlier.slice(0, MAX_SECRETS - 1);
      return { secret, sealed: seal(id, [{ secret, expires_at: null }, ...kept]), previousExpiresAt };
    },
    openSigning(id, sealed) {
      const parsed = open(id, sealed).map(({ secret }) => parseHookSecrets(secret));
      const secrets = parsed.flatMap((one) => ('value' in one ? one.value : []));
      return secrets.length === 0 ? null : prepareSigning(secrets);
    },
  };
}

const makeWebhookSecret = (): string => `v1,whsec_${randomBytes(32).toString('base64')}`;
