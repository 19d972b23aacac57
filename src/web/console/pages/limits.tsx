/** Whom limits hold back, and how many requests and messages they allow. */
import { Heading } from '../parts/heading.js';
import { SettingsForm } from '../parts/settings-form.js';
import { currentTab, Tabs } from '../parts/tabs.js';
import { HeldBack } from './limits/held-back.js';

const tabs = [
  { id: 'held', title: 'Held back' },
  { id: 'settings', title: 'Settings' },
];

export function Page() {
  return (
    <>
      <Heading
        title="Limits"
        about="Who has to wait, and until when. Addresses are stored hashed: ask for one by name."
      />
      <Tabs label="Limits" tabs={tabs} />
      {currentTab(tabs) === 'held' ? <HeldBack /> : <SettingsForm form="limits" title="Limits" />}
    </>
  );
}
