import type { CommandGroup } from '../cli/types.js';

/** Commands on organizations, one file each in organizations/. */
export const organizationCommands: CommandGroup = {
  summary: 'Move organizations: organizations import, organizations export',
  commands: {
    import: async () => (await import('./organizations/import.js')).importOrganizationsCommand,
    export: async () => (await import('./organizations/export.js')).exportOrganizationsCommand,
  },
};
