/**
 * The one form of a password, whichever keyboard or system it was typed on: NFKC, as NIST SP 800-63B 5.1.1.2 asks. Texts
 * of ASCII are their own form.
 */
export const normalisePassword = (password: string): string =>
  /[\u0080-\uffff]/.test(password) ? password.normalize('NFKC') : password;
