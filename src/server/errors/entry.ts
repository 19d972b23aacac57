/** name → [HTTP status, error_code, msg]. `<x>` in a message is a placeholder of apiError() (errors.ts). */
export type ErrorEntries = Readonly<Record<string, readonly [status: number, code: string, message: string]>>;
