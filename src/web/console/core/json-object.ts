import { ApiFault } from './api.js';

/**
 * A JSON object in a field of a form; empty: one without members.
 * @param label of the field
 * @throws ApiFault
 */
export function readJsonObject(text: string, label: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw new ApiFault(0, 'no_json', `${label} must be a JSON object.`);
}
