/** The settings in use, how another set differs, and the checks of the command line. */
import { Heading } from '../parts/heading.js';
import { currentTab, Tabs } from '../parts/tabs.js';
import { Checks } from './settings/checks.js';
import { Compare } from './settings/compare.js';
import { SettingsList } from './settings/in-use.js';

const tabs = [
  { id: 'all', title: 'In use' },
  { id: 'compare', title: 'Compare with a .env' },
  { id: 'checks', title: 'Checks' },
];

export function Page() {
  const tab = currentTab(tabs);
  return (
    <>
      <Heading
        title="Settings"
        about="They are changed where they are set: the environment and files stay the truth."
      />
      <Tabs label="Settings" tabs={tabs} />
      {tab === 'all' && <SettingsList />}
      {tab === 'compare' && <Compare />}
      {tab === 'checks' && <Checks />}
    </>
  );
}
