import { assertDeviceGrantOn } from '../oauth/switches.js';
import { showDevice, submitDevice } from '../pages/device-page.js';
import type { App } from '../runtime/app.js';
import { defineEndpoint } from './shared/define.js';
import { text } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { answerForm } from './shared/page.js';
import { assertPagesOn, flowQuery, formEndpoint, formErrors, pageErrors, shownPage } from './shared/page-definition.js';

const assertOn = (app: App): void => {
  assertPagesOn(app);
  assertDeviceGrantOn(app);
};
const deviceErrors = [
  ...(['oauthServerDisabled', 'deviceGrantDisabled'] as const),
  ...(['userCodeWrong', 'authorizationDecided', 'overRequestRate', 'sessionNotFound'] as const),
  'organizationChoiceMissing',
] as const;

export const getUiDevice = defineEndpoint({
  ...shownPage(showDevice),
  path: '/ui/device',
  assertOn,
  query: { ...flowQuery, user_code: text('The code that the device shows, for the field.') },
  id: 'showDevice',
  summary: 'The page for the code of a device, and what the device asks for.',
  errors: [...pageErrors, ...deviceErrors],
});

export const postUiDevice = defineEndpoint({
  ...formEndpoint(showDevice),
  path: '/ui/device',
  assertOn,
  body: fields('form_token', 'action', 'code', 'organization_id'),
  id: 'submitDevice',
  summary: 'Takes the code of a device; approves or denies what it asks.',
  errors: [...formErrors, ...deviceErrors],
  handler: (app, request) => answerForm(app, request, (visit) => submitDevice(visit, request.body)),
});
