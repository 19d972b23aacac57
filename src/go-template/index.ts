export { TemplateError } from './error.js';
export { compileTemplate, type Template } from './interpreter.js';
