/** Fills in SMS_TEMPLATE, whose only variable is `{{ .Code }}`; config/settings/phone.ts checks that. */
export function renderText(template: string, code: string): string {
  return template.replace(/\{\{\s*\.Code\s*\}\}/g, () => code);
}
