/** Mails and texts: what waits, what was given up, and what they look like. */
import { place } from '../core/location.js';
import { Filters } from '../parts/filters.js';
import { Heading } from '../parts/heading.js';
import { currentTab, Tabs } from '../parts/tabs.js';
import { GivenUp } from './mail/given-up.js';
import { MailSettings } from './mail/mail-settings.js';
import { Templates } from './mail/templates.js';
import { Waiting } from './mail/waiting.js';

const tabs = [
  { id: 'waiting', title: 'Waiting' },
  { id: 'given-up', title: 'Given up' },
  { id: 'templates', title: 'Templates' },
  { id: 'settings', title: 'Settings' },
];
const channels = [{ value: 'text', label: 'Texts' }];

export function Page() {
  const tab = currentTab(tabs);
  const channel = place.value.query.get('channel') === 'text' ? 'text' : 'mail';
  return (
    <>
      <Heading title="Mail" about="Mails and texts on their way, why some do not arrive, and what they look like." />
      <Tabs label="Mail" tabs={tabs} />
      {(tab === 'waiting' || tab === 'given-up') && (
        <Filters fields={[{ name: 'channel', label: 'Channel', kind: 'choice', none: 'Mails', choices: channels }]} />
      )}
      {tab === 'waiting' && <Waiting channel={channel} />}
      {tab === 'given-up' && <GivenUp channel={channel} />}
      {tab === 'templates' && <Templates />}
      {tab === 'settings' && <MailSettings />}
    </>
  );
}
