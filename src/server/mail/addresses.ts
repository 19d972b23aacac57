/**
 * Nothing that a mail server or a header could take for more than one recipient: no display name, list, quote, comment,
 * white space or control character (SEC-43).
 */
export function isOneAddress(address: string): boolean {
  return address.length <= 320 && /^[^\u0000-\u0020\u007f-\uffff@<>,;:"()[\]\\]+@[A-Za-z0-9.-]+$/.test(address);
}
