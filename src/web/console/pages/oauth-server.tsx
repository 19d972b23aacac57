/** What the OAuth server does for applications. */
import { Heading } from '../parts/heading.js';
import { SettingsForm } from '../parts/settings-form.js';

export const Page = () => (
  <>
    <Heading
      title="OAuth server"
      about={
        <>
          Other applications sign users in with this server. The <a href="/clients">clients</a> are a page of their own.
        </>
      }
    />
    <SettingsForm form="oauth-server" title="OAuth server" />
  </>
);
