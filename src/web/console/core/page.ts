/** What a page of the console is. */
import type { ComponentType } from 'preact';
import type { IconName } from '../parts/icon.js';
import type { Role } from './state.js';

export const groups = ['Watch', 'People', 'Applications', 'Delivery', 'System'] as const;
export type Group = (typeof groups)[number];

export interface PageProps {
  /** Parameters of the path. */
  readonly params: Readonly<Record<string, string>>;
}

export interface Page {
  /** As `/users/{user_id}`. Not one of the API, whose paths the console must not answer. */
  readonly path: string;
  readonly title: string;
  /** The least role that sees it. */
  readonly role: Role;
  /** In the navigation; without it the page is reached by links. */
  readonly menu?: {
    readonly group: Group;
    readonly icon: IconName;
    /** After `g`. */
    readonly key?: string;
  };
  readonly load: () => Promise<{ readonly Page: ComponentType<PageProps> }>;
}
