/** What the server keeps and logs: settings that no other page has. */
import { Heading } from '../parts/heading.js';
import { SettingsForm } from '../parts/settings-form.js';

export const Page = () => (
  <>
    <Heading title="Upkeep" about="How long things are kept, and what remains." />
    <SettingsForm form="upkeep" title="Upkeep" />
  </>
);
