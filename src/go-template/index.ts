export { TemplateError } from './error.js';
export { compileTemplate, type Template } from './interpreter.js';
export { listVariables } from './variables.js';
