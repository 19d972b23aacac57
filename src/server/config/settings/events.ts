import type { Section } from './setting.js';

export const events = {
  webhooksUrl: {
    variable: 'WEBHOOKS_URL',
    restart: true,
    kind: 'url',
    default: '',
    doc: 'Where events are posted: an https:// URL, or one of a host in AUTH_OUTBOUND_PRIVATE_HOSTS.',
    example: 'https://api.example.com/auth-events',
  },
  webhooksSecrets: {
    variable: 'WEBHOOKS_SECRETS',
    restart: true,
    kind: 'hookSecrets',
    default: null,
    secret: true,
    doc: 'Secrets that sign what is posted to AUTH_WEBHOOKS_URL, with | between them (Standard Webhooks).',
    example: 'v1,whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
  },
  webhooksEvents: {
    variable: 'WEBHOOKS_EVENTS',
    restart: true,
    kind: 'list',
    default: '',
    doc: 'Events that are recorded and posted: types, families such as user.*, or *; empty: all where AUTH_WEBHOOKS_URL is set, else none.',
    example: 'user.*,session.reuse_detected',
  },
  webhooksInclude: {
    variable: 'WEBHOOKS_INCLUDE',
    restart: true,
    kind: 'list',
    default: '',
    doc: 'What is added to the data of posted events: user, the user object at the time of sending.',
    example: 'user',
  },
  webhooksRetentionSeconds: {
    variable: 'WEBHOOKS_RETENTION',
    kind: 'duration',
    positive: true,
    default: '168h',
    doc: 'How long events and their deliveries are kept, at least 48 hours.',
    example: '720h',
  },
} as const satisfies Section;
