/**
 * False for anything that a mail server or a header could read as more than one recipient: display names, lists, quotes,
 * comments, white space, control characters (SEC-43).
 */
export function isOneAddress(address: string): boolean {
  return address.length <= 320 && /^[^\u0000-\u0020\u007f-\uffff@<>,;:"()[\]\\]+@[A-Za-z0-9.-]+$/.test(address);
}
