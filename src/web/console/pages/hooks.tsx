/** Hooks: whether they are called, a rehearsal, and which are on. */
import { Heading } from '../parts/heading.js';
import { SettingsForm } from '../parts/settings-form.js';
import { currentTab, Tabs } from '../parts/tabs.js';
import { Calls } from './hooks/calls.js';

const tabs = [
  { id: 'calls', title: 'Calls' },
  { id: 'settings', title: 'Settings' },
];

export function Page() {
  return (
    <>
      <Heading title="Hooks" about="What the server asks your code before it decides." />
      <Tabs label="Hooks" tabs={tabs} />
      {currentTab(tabs) === 'calls' ? <Calls /> : <SettingsForm form="hooks" title="Hooks" />}
    </>
  );
}
