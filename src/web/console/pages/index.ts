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
];

const people: readonly Page[] = [
  {
    path: '/users',
    title: 'Users',
    role: 'viewer',
    menu: { group: 'People', icon: 'users', key: 'u' },
    load: () => import('./users.js'),
  },
];

const applications: readonly Page[] = [
  {
    path: '/redirects',
    title: 'Redirects',
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
  { path: '/me', title: 'Your account', role: 'viewer', load: () => import('./me.js') },
];

export const consolePages: readonly Page[] = [...watch, ...people, ...applications, ...delivery, ...system];
