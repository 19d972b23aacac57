/** What the domain asks the operator's hooks. */
import type { HookName } from '../config/settings.js';
import type { ApiError } from '../errors.js';
import type { MailMessage } from '../mail/contract.js';

/** Claims of an access token. */
export type Claims = Readonly<Record<string, unknown>>;

export interface ClaimsQuestion {
  /** The claims without the hook; all registered ones are there. */
  readonly asked: Claims;
  /** How the user signed in, or token_refresh. */
  readonly method: string;
  readonly ip: string | null;
  /** Changes with the account; an answer in the cache counts for this version only. */
  readonly version: string;
}

/** An earlier answer of the hook for a session. */
export interface RememberedClaims {
  /** The version of the account for which it counts. */
  readonly version: string;
  /** @returns the claims with the changes of that answer */
  apply(asked: Claims): Claims;
}

/** Decides the claims of each access token. */
export interface CustomAccessToken {
  /** @returns undefined: the hook must be asked */
  recall(sessionId: string): RememberedClaims | undefined;
  /**
   * @returns the claims of the token
   * @throws ApiError of the hook, hookClaimsMissing, hookClaimsInvalid, hookFailed
   */
  decide(question: ClaimsQuestion): Promise<Claims>;
}

export interface PasswordVerification {
  /**
   * @returns null: continue
   * @throws ApiError of the hook
   */
  decide(attempt: { userId: string; isValid: boolean; ip: string | null }): Promise<{
    /** '': the usual text. */
    readonly message: string;
    readonly endsSessions: boolean;
  } | null>;
}

export interface MfaVerification {
  /**
   * @returns null: continue
   * @throws ApiError of the hook
   */
  decide(attempt: {
    userId: string;
    factorId: string;
    /** totp, phone or recovery_code. */
    factorType: string;
    isValid: boolean;
    ip: string | null;
  }): Promise<{
    /** '': the usual text. */
    readonly message: string;
  } | null>;
}

export interface BeforeUserCreated {
  /**
   * @param user as in the answers of the API
   * @throws ApiError of the hook
   */
  assertAllowed(user: Readonly<Record<string, unknown>>, ip: string | null): Promise<void>;
}

export interface AfterUserCreated {
  /**
   * @param id the webhook-id, the same in each call for one account
   * @throws HookFailure when it is to be called again
   */
  announce(user: Readonly<Record<string, unknown>>, ip: string | null, id: string): Promise<void>;
}

/** How a message was delivered. */
export type Delivery =
  | { readonly isDone: true }
  /** `isRefused`: by the error object of the hook; `reason`: for the log. */
  | { readonly isDone: false; readonly error: ApiError; readonly isRefused: boolean; readonly reason: string };

type UserView = Readonly<Record<string, unknown>>;

export interface SendEmail {
  /** @param messages one, or both sides of an email change. @param id the same in every try */
  deliver(messages: readonly [MailMessage, MailMessage?], user: UserView, id?: string): Promise<Delivery>;
}

/** The member `sms` of the input of send_sms. */
export interface HookText {
  readonly phone: string;
  /** Empty: a notice of a change, which has no code. */
  readonly otp: string;
  /** `mfa` for the code of a phone factor; the kind of a notice. */
  readonly type?: string;
  /** Of a notice: the whole text. */
  readonly message?: string;
}

export interface SendSms {
  /** @param id the same in every try */
  deliver(text: HookText, user: UserView, ip: string | null, id?: string): Promise<Delivery>;
}

/** Whether a hook is called. */
export interface HookState {
  /** It kept failing: it is not called, or tried with one call. */
  readonly isOpen: boolean;
  /** Until it is tried again. */
  readonly waitSeconds: number;
}

/** Null: the hook is off. */
export interface Hooks {
  readonly customAccessToken: CustomAccessToken | null;
  readonly passwordVerification: PasswordVerification | null;
  readonly mfaVerification: MfaVerification | null;
  readonly beforeUserCreated: BeforeUserCreated | null;
  readonly afterUserCreated: AfterUserCreated | null;
  readonly sendEmail: SendEmail | null;
  readonly sendSms: SendSms | null;
  /** Whether each hook that is on is called, as this thread sees it. */
  states(): ReadonlyMap<HookName, HookState>;
  /** Closes kept connections. */
  close(): void;
}
