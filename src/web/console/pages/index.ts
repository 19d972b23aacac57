/**
 * The pages of the console, in the order of the navigation. The build reads each `path: '…'`
 * for the server; a page is loaded when it is shown.
 */
import type { Page } from '../core/page.js';

const watch: readonly Page[] = [
  {
    path: '/overview',
    title: 'Overview',
    role: 'viewer',
    menu: { group: 'Watch', icon: 'chart', key: 'o' },
    load: () => import('./overview.js'),
  },
  {
    path: '/requests',
    title: 'Requests',
    role: 'viewer',
    menu: { group: 'Watch', icon: 'question', key: 'q' },
    load: () => import('./requests.js'),
  },
  { path: '/requests/{request_id}', title: 'Explain', role: 'viewer', load: () => import('./request.js') },
  {
    path: '/activity',
    title: 'Activity',
    role: 'viewer',
    menu: { group: 'Watch', icon: 'activity', key: 'a' },
    load: () => import('./activity.js'),
  },
];

const people: readonly Page[] = [
  {
    path: '/users',
    title: 'Users',
    role: 'viewer',
    menu: { group: 'People', icon: 'users', key: 'u' },
    load: () => import('./users.js'),
  },
  { path: '/users/{user_id}', title: 'User', role: 'viewer', load: () => import('./user.js') },
  // Not of the API, which has /organizations.
  {
    path: '/orgs',
    title: 'Organizations',
    role: 'viewer',
    menu: { group: 'People', icon: 'tree', key: 'z' },
    load: () => import('./organizations.js'),
  },
  { path: '/orgs/{organization_id}', title: 'Organization', role: 'viewer', load: () => import('./organization.js') },
  {
    path: '/org-roles',
    title: 'Roles of organizations',
    role: 'viewer',
    load: () => import('./organization-roles.js'),
  },
  {
    path: '/import',
    title: 'Import',
    role: 'admin',
    menu: { group: 'People', icon: 'import', key: 'i' },
    load: () => import('./import.js'),
  },
];

const applications: readonly Page[] = [
  {
    path: '/sign-in-rules',
    title: 'Sign-in',
    role: 'viewer',
    menu: { group: 'Applications', icon: 'door', key: 'd' },
    load: () => import('./sign-in-rules.js'),
  },
  {
    path: '/clients',
    title: 'OAuth clients',
    role: 'viewer',
    menu: { group: 'Applications', icon: 'app', key: 'c' },
    load: () => import('./clients.js'),
  },
  { path: '/clients/{client_id}', title: 'OAuth client', role: 'viewer', load: () => import('./client.js') },
  {
    path: '/oauth-server',
    title: 'OAuth server',
    role: 'viewer',
    menu: { group: 'Applications', icon: 'shield', key: 'v' },
    load: () => import('./oauth-server.js'),
  },
  {
    path: '/providers',
    title: 'Providers',
    role: 'viewer',
    menu: { group: 'Applications', icon: 'globe', key: 'p' },
    load: () => import('./providers.js'),
  },
  { path: '/providers/{provider}', title: 'Provider', role: 'viewer', load: () => import('./provider.js') },
  {
    path: '/companies',
    title: 'Companies',
    role: 'viewer',
    menu: { group: 'Applications', icon: 'building', key: 'n' },
    load: () => import('./companies.js'),
  },
  { path: '/companies/{sso_provider_id}', title: 'Company', role: 'viewer', load: () => import('./company.js') },
  { path: '/traces/{trace_id}', title: 'Sign-in trace', role: 'admin', load: () => import('./trace.js') },
  {
    path: '/look',
    title: 'Look',
    role: 'viewer',
    menu: { group: 'Applications', icon: 'brush' },
    load: () => import('./look.js'),
  },
  {
    path: '/redirects',
    title: 'Addresses',
    role: 'viewer',
    menu: { group: 'Applications', icon: 'route', key: 'r' },
    load: () => import('./redirects.js'),
  },
];

const delivery: readonly Page[] = [
  {
    path: '/mail',
    title: 'Mail',
    role: 'viewer',
    menu: { group: 'Delivery', icon: 'mail', key: 'm' },
    load: () => import('./mail.js'),
  },
  {
    path: '/sms',
    title: 'SMS',
    role: 'viewer',
    menu: { group: 'Delivery', icon: 'chat', key: 'e' },
    load: () => import('./sms.js'),
  },
  {
    path: '/webhooks',
    title: 'Webhooks',
    role: 'viewer',
    menu: { group: 'Delivery', icon: 'bolt', key: 'w' },
    load: () => import('./webhooks.js'),
  },
  { path: '/webhooks/{webhook_id}', title: 'Webhook', role: 'viewer', load: () => import('./webhook.js') },
  {
    path: '/hooks',
    title: 'Hooks',
    role: 'viewer',
    menu: { group: 'Delivery', icon: 'link', key: 'h' },
    load: () => import('./hooks.js'),
  },
];

const system: readonly Page[] = [
  {
    path: '/keys',
    title: 'Signing keys',
    role: 'viewer',
    menu: { group: 'System', icon: 'key', key: 'k' },
    load: () => import('./keys.js'),
  },
  {
    path: '/limits',
    title: 'Limits',
    role: 'viewer',
    menu: { group: 'System', icon: 'gauge', key: 'l' },
    load: () => import('./limits.js'),
  },
  {
    path: '/configuration',
    title: 'Settings',
    role: 'viewer',
    menu: { group: 'System', icon: 'sliders', key: 's' },
    load: () => import('./settings.js'),
  },
  {
    path: '/configuration/history',
    title: 'History of settings',
    role: 'viewer',
    load: () => import('./setting-history.js'),
  },
  {
    path: '/upkeep',
    title: 'Upkeep',
    role: 'viewer',
    menu: { group: 'System', icon: 'clock', key: 'y' },
    load: () => import('./upkeep.js'),
  },
  {
    path: '/operators',
    title: 'Operators',
    role: 'owner',
    menu: { group: 'System', icon: 'shield', key: 't' },
    load: () => import('./operators.js'),
  },
  { path: '/me', title: 'Your account', role: 'viewer', load: () => import('./me.js') },
];

export const consolePages: readonly Page[] = [...watch, ...people, ...applications, ...delivery, ...system];
