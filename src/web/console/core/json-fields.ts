import { ApiFault } from './api.js';

/**
 * A JSON object in a field of a form; empty: one without members.
 * @param label of the field
 * @throws ApiFault
 */
export function readJsonObject(text: string, label: string): Readonly<Record<string, unknown>> {
  const value = parse(text, {});
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new ApiFault(0, 'no_json', `${label} must be a JSON object.`);
}

/**
 * The same of a list; empty: one without entries.
 * @param label of the field
 * @throws ApiFault
 */
export function readJsonList(text: string, label: string): readonly unknown[] {
  const value = parse(text, []);
  if (Array.isArray(value)) return value;
  throw new ApiFault(0, 'no_json', `${label} must be a JSON list.`);
}

/** @returns undefined for what is no JSON */
function parse(text: string, empty: unknown): unknown {
  if (text.trim() === '') return empty;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
