/** SMS_TEMPLATE: `{{ .Code }}` is the one thing in it that is replaced. config/settings/phone.ts checks the shape at boot. */
export function renderText(template: string, code: string): string {
  return template.replace(/\{\{\s*\.Code\s*\}\}/g, () => code);
}
