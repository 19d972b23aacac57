/** How users sign in: methods, passwords, second factors, passkeys, sessions. */
import { Heading } from '../parts/heading.js';
import { SettingsForm } from '../parts/settings-form.js';

export const Page = () => (
  <>
    <Heading title="Sign-in" about="How people become users, prove who they are, and stay signed in." />
    <SettingsForm form="sign-in" title="Sign-in" />
  </>
);
