import type { FormFault } from '../errors.js';
import { type ApiError, apiError } from '../errors.js';

/** @param reason for programs. @param fault for people; absent: no form has the field. @returns organizationFieldInvalid */
export const fieldError = (reason: string, fault?: FormFault): ApiError =>
  apiError('organizationFieldInvalid', { reason }, fault && { about: { fault } });
