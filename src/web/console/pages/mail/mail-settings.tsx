/** Mail server and rules of mails, with a test mail; their words are with the templates. */
import { SettingGroups, SettingsForm } from '../../parts/settings-form.js';
import { TestMail } from '../../parts/test-mail.js';

/** The group of the words, which have an editor. */
const WORDS = 'Own words';

export const MailSettings = () => (
  <SettingsForm
    form="mail"
    title="Mail"
    show={(data) => (
      <>
        <section class="card">
          <h2>Test mail</h2>
          <TestMail kind={null} />
        </section>
        <SettingGroups {...data} groups={data.groups.filter(({ title }) => title !== WORDS)} title="Mail" />
      </>
    )}
  />
);
