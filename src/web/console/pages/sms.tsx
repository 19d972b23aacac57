/** The gateway of texts, codes by text, and notices. */
import { Heading } from '../parts/heading.js';
import { SettingsForm } from '../parts/settings-form.js';

export const Page = () => (
  <>
    <Heading title="SMS" about="Which gateway sends texts, and what they say." />
    <SettingsForm form="sms" title="SMS" />
  </>
);
