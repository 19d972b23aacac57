/** The settings in use, how another set differs, and the checks of the command line. */
import { Heading } from '../parts/heading.js';
import { currentTab, Tabs } from '../parts/tabs.js';
import { Checks } from './settings/checks.js';
import { Compare } from './settings/compare.js';
import { SettingsList } from './settings/in-use.js';
import { Processes } from './settings/processes.js';

const tabs = [
  { id: 'all', title: 'In use' },
  { id: 'processes', title: 'Processes' },
  { id: 'compare', title: 'Compare with a .env' },
  { id: 'checks', title: 'Checks' },
];

export function Page() {
  const tab = currentTab(tabs);
  return (
    <>
      <Heading
        title="Settings"
        about="Where each is set. What the environment and files leave open is changed in the console."
      >
        <a class="button plain" href="/configuration/history">
          History
        </a>
      </Heading>
      <Tabs label="Settings" tabs={tabs} />
      {tab === 'all' && <SettingsList />}
      {tab === 'processes' && <Processes />}
      {tab === 'compare' && <Compare />}
      {tab === 'checks' && <Checks />}
    </>
  );
}
