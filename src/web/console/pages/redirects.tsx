/** Addresses: your site, where redirects may lead, and a place to try that. */
import { Heading } from '../parts/heading.js';
import { SettingsForm } from '../parts/settings-form.js';
import { currentTab, Tabs } from '../parts/tabs.js';
import { Playground } from './redirects/playground.js';

const tabs = [
  { id: 'try', title: 'Try a redirect' },
  { id: 'settings', title: 'Settings' },
];

export function Page() {
  return (
    <>
      <Heading title="Addresses" about="Your site, where a redirect_to may lead, and where it does lead." />
      <Tabs label="Addresses" tabs={tabs} />
      {currentTab(tabs) === 'try' ? <Playground /> : <SettingsForm form="addresses" title="Addresses" />}
    </>
  );
}
