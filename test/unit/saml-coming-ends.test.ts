import { Registry } from 'prom-client';
import { findComingEnds } from '../../src/server/saml/coming-ends.js';
import { addSsoMetrics } from '../../src/server/telemetry/sso-metrics.js';
import { t } from '../support/tap.js';

const now = Date.parse('2026-11-01T00:00:00.000Z');
const inDays = (days: number): string => new Date(now + days * 86_400_000).toISOString();

interface Given {
  readonly ends: readonly number[];
  readonly validDays?: number;
  readonly url?: string;
  readonly error?: string;
}

const find = ({ ends, validDays, url, error }: Given) =>
  findComingEnds(
    {
      metadata: {
        entity_id: 'https://idp.example',
        sso_url: 'https://idp.example/sso',
        slo_redirect_url: null,
        slo_post_url: null,
        slo_redirect_answer_url: null,
        slo_post_answer_url: null,
        certificates: ends.map((days) => ({ der: '', fingerprint: String(days), not_after: inDays(days) })),
        valid_until: validDays === undefined ? null : inDays(validDays),
        cache_seconds: null,
      },
      metadata_url: url ?? null,
      metadata_error: error ?? null,
    },
    now,
  );

t.test('what of an identity provider ends within 30 days', async (t) => {
  const url = 'https://idp.example/metadata';
  t.same(find({ ends: [31] }), []);
  t.same(find({ ends: [29] }), [{ what: 'certificate', endsAt: inDays(29) }]);
  t.same(find({ ends: [-1] }), [{ what: 'certificate', endsAt: inDays(-1) }]);
  t.same(find({ ends: [400, 2] }), [], 'there is a next certificate');
  t.same(find({ ends: [400], validDays: 2 }), [{ what: 'metadata', endsAt: inDays(2) }], 'a file that is forgotten');
  t.same(find({ ends: [400], validDays: 2, url }), [], 'it is read again before');
  t.same(find({ ends: [400], validDays: 2, url, error: 'HTTP 404' }), [{ what: 'metadata', endsAt: inDays(2) }]);
});

t.test('the metric counts providers by what ends', async (t) => {
  const registers: Registry[] = [new Registry()];
  addSsoMetrics(registers, () => ({ certificate: 2, metadata: 1 }));
  const text = await registers[0]!.metrics();
  t.match(text, 'latchkey_sso_ends_soon{what="certificate"} 2\nlatchkey_sso_ends_soon{what="metadata"} 1');
});
