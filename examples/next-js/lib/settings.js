export const latchkeyUrl = process.env.LATCHKEY_URL ?? 'http://localhost:8081';
export const appUrl = process.env.APP_URL ?? 'http://localhost:3000';
export const apiUrl = process.env.API_URL ?? 'http://localhost:4001';
