/** Why a pod cannot be injected. */
export type InjectionErrorCode =
  | 'INVALID_POD'
  | 'INVALID_ANNOTATION'
  | 'TEMPLATE_FAILED'
  | 'INVALID_OUTPUT'
  | 'NAME_CONFLICT';

/** Refuses one pod; the message is for whoever creates it, or for whoever wrote the template. */
export class InjectionError extends Error {
  readonly code: InjectionErrorCode;

  constructor(code: InjectionErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = 'InjectionError';
    this.code = code;
  }
}
