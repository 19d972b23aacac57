/** @param hostname name or address, IPv6 with or without brackets */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|::1|\[::1\]|127(?:\.\d{1,3}){3})$/.test(hostname);
}
