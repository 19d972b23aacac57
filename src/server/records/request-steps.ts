/** The checks before the rules of an endpoint, as they are recorded of a refused request. */
import type { RequestStep } from '../http/options.js';
import type { Route } from '../http/types.js';

/** What a reload may change about the checks. */
export interface StepSettings {
  readonly rateLimitHeader: string;
  readonly securityCaptchaEnabled: boolean;
}

type CheckedRoute = Pick<Route<never>, 'assertOn' | 'caller' | 'limit' | 'body' | 'captcha'>;

/** `maybe`: some requests to the endpoint are asked for it. */
type Applies = 'yes' | 'no' | 'maybe';

const yesIf = (applies: boolean): Applies => (applies ? 'yes' : 'no');

function planSteps(route: CheckedRoute, settings: StepSettings): readonly (readonly [RequestStep, Applies])[] {
  const limit = ['limit', yesIf(route.limit !== undefined && settings.rateLimitHeader !== '')] as const;
  const captcha = settings.securityCaptchaEnabled ? route.captcha : undefined;
  const readsBodyFirst = typeof route.limit === 'function';
  return [
    ['message', 'yes'],
    ['endpoint', 'yes'],
    ['switch', yesIf(route.assertOn !== undefined)],
    ['caller', yesIf(route.caller !== 'none')],
    ...(readsBodyFirst ? [] : [limit]),
    ['body', yesIf(route.body !== undefined)],
    ...(readsBodyFirst ? [limit] : []),
    ['captcha', typeof captcha === 'function' ? 'maybe' : yesIf(captcha === true)],
    ['rules', 'yes'],
  ];
}

/**
 * The checks in their order, each with a mark: `+` passed, `-` does not apply, `~` passed or not asked for, `!` failed,
 * `.` not reached.
 * @param route undefined: there is no such endpoint
 */
export function describeSteps(route: CheckedRoute | undefined, failed: RequestStep, settings: StepSettings): string {
  if (route === undefined) return failed === 'message' ? '!message .endpoint' : '+message !endpoint';
  const steps = planSteps(route, settings);
  const end = steps.findIndex(([step]) => step === failed);
  const marks = { yes: '+', no: '-', maybe: '~' } as const;
  return steps
    .map(([step, applies], at) => {
      if (at === end) return `!${step}`;
      return `${at > end && applies !== 'no' ? '.' : marks[applies]}${step}`;
    })
    .join(' ');
}
