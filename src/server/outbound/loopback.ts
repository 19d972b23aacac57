/** @param hostname name or address, IPv6 with or without brackets */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|::1|\[::1\]|127(?:\.\d{1,3}){3})$/.test(hostname);
}

/** Whether an address that administrators set may be called: https, or http to this machine where OUTBOUND_PRIVATE_HOSTS lists it. */
export function isCallable({ protocol, hostname }: URL, privateHosts: readonly string[]): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname) && privateHosts.includes(hostname));
}
