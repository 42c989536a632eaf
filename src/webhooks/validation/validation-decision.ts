import type { MeshObject } from '../../config/object.js';
import type { Violation } from '../../config/violation.js';
import type { AnalysisMessage } from '../../status/analysis/analysis-message.js';

/** Reasons of the metric cfgsrv_validation_failed. */
export type FailureReason =
  | 'unsupported_operation'
  | 'yaml_decode_error'
  | 'unknown_type'
  | 'crd_conversion_error'
  | 'invalid_resource';

/** The decision about one request. */
export type ValidationDecision =
  /** The object breaks no rule. */
  | {
      readonly type: 'passed';
      /** The object as sources will read it; undefined if its content was not read. */
      readonly object?: MeshObject;
      /** Fields without effect. */
      readonly unknownFields: readonly Violation[];
      /** Warnings beside those of analysis; absent without any. */
      readonly concerns?: readonly AnalysisMessage[];
    }
  /** Allowed, because the operation is not validated, but counted as a failure. */
  | { readonly type: 'unsupported'; readonly reason: 'unsupported_operation' }
  | { readonly type: 'refused'; readonly reason: FailureReason; readonly message: string };

/** Joins several errors into a list with a head line; a single error stays as it is. */
export function joinErrors(errors: readonly string[]): string {
  if (errors.length === 1) return errors[0] ?? '';
  return `${errors.length} errors occurred:\n${errors.map((error) => `\t* ${error}\n`).join('')}`;
}
