/** Why a pod cannot be injected. */
export type InjectionErrorCode =
  | 'INVALID_POD'
  | 'INVALID_ANNOTATION'
  | 'TEMPLATE_FAILED'
  | 'INVALID_OUTPUT'
  | 'NAME_CONFLICT';

/** Rejects one pod. The message addresses the author of the pod, or the author of the template. */
export class InjectionError extends Error {
  readonly code: InjectionErrorCode;

  constructor(code: InjectionErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = 'InjectionError';
    this.code = code;
  }
}
