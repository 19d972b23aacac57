import { viewExampleUser } from '../../accounts/new-user-hook.js';
import { viewUser } from '../../accounts/user-view.js';
import { readUser } from '../../admin/change-user.js';
import { type HookName, hookNames } from '../../config/settings.js';
import { apiError } from '../../errors.js';
import { hookAddressOf } from '../../hooks/hook-caller.js';
import { hookEvents } from '../../hooks/rehearse.js';
import { type RehearsalStep, rehearseCall } from '../../hooks/rehearse-call.js';
import { consoleBody, defineConsole, listOf, objectOf, orNull, reasonField, textField } from '../define-console.js';
import { deedOf, recordDeed } from '../operator-audit.js';
import { errorsOfUser } from './user.js';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

const hook = objectOf({
  name: text,
  enabled: flag,
  address: { ...orNull('string'), description: 'Without its query; null: not set.' },
  kind: { ...orNull('string'), description: 'http or function.' },
  is_signed: flag,
  fails_open: flag,
  timeout_seconds: { type: 'number' },
  max_concurrency: { type: 'integer' },
  breaker: {
    type: ['object', 'null'],
    properties: { is_open: flag, wait_seconds: { type: 'integer' } },
    description: 'Of the server thread that answers; null: the hook is off.',
  },
  events: { type: 'array', items: text, description: 'What may cause a call; the first one is the default.' },
});

export const getHooks = defineConsole({
  method: 'GET',
  path: '/api/hooks',
  role: 'viewer',
  id: 'listHooks',
  tag: 'Hooks',
  summary: 'Lists the hooks, and whether they are called now.',
  answer: {
    description: 'All, also those that are off. Each server thread has breakers of its own.',
    body: objectOf({ hooks: listOf(hook) }),
  },
  handler(app) {
    const states = app.hooks.states();
    const hooks = hookNames.map((name) => {
      const settings = app.config.hooks[name];
      const state = states.get(name);
      return {
        name,
        enabled: settings.enabled,
        address: hookAddressOf(settings) || null,
        kind: settings.uri?.kind ?? null,
        is_signed: (settings.secrets ?? []).length > 0,
        fails_open: settings.failOpen === true,
        timeout_seconds: settings.timeoutSeconds,
        max_concurrency: settings.maxConcurrency,
        breaker: state === undefined ? null : { is_open: state.isOpen, wait_seconds: state.waitSeconds },
        events: hookEvents[name],
      };
    });
    return { status: 200, body: { hooks } };
  },
});

export const postHookRehearsal = defineConsole({
  method: 'POST',
  path: '/api/hooks/{hook_name}/rehearse',
  role: 'admin',
  body: consoleBody({
    event: textField('What causes the call; default: the first of its events.'),
    user_id: textField('The account in the input; default: an example.'),
    dry: { type: 'boolean', description: 'Shows what would be sent.' },
    ...reasonField,
  }),
  bodyOptional: true,
  id: 'rehearseHook',
  tag: 'Hooks',
  summary: 'Calls a hook with an example as a request would. Nothing is stored; the receiver may act on the example.',
  answer: {
    description: 'What was sent, what came back and what follows from it, in order. Secrets are hidden.',
    body: objectOf({
      steps: listOf({ type: 'object', description: 'request, signature, problem or answer, by `what`.' }),
      verdict: { ...orNull('string'), description: 'Null: nothing was sent.' },
      is_refused: flag,
      duration_ms: { type: 'integer' },
    }),
  },
  errors: [...errorsOfUser, 'hookUnknown', 'hookNotCallable', 'hookEventUnknown'],
  async handler(app, request) {
    const name: HookName | undefined = hookNames.find((known) => known === request.params.hook_name);
    if (name === undefined) throw apiError('hookUnknown');
    const { uri, enabled } = app.config.hooks[name];
    // Functions of hooks that are off are not allowed in this process.
    if (uri === null || (uri.kind === 'function' && !enabled)) throw apiError('hookNotCallable');
    const { user_id: userId, event = hookEvents[name][0]!, dry: isDry = false } = request.body;
    if (!hookEvents[name].includes(event)) throw apiError('hookEventUnknown', { events: hookEvents[name].join(', ') });
    const user = userId === undefined ? viewExampleUser(app) : viewUser(await readUser(app, userId));
    const traits = { hook: name, event, dry: isDry, ...(userId && { user_id: user['id'] }) };
    await recordDeed(app, deedOf(request), 'hook_rehearsed', traits);
    const steps: RehearsalStep[] = [];
    const { config, db } = app;
    const end = await rehearseCall({ name, event, config, db, user, isDry }, (step) => steps.push(step));
    const { verdict, isRefused, durationMs } = end;
    return { status: 200, body: { steps, verdict, is_refused: isRefused, duration_ms: durationMs } };
  },
});
