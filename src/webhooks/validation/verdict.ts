import type { MeshObject } from '../../config/object.js';
import type { Violation } from '../../config/violation.js';
import type { AnalysisMessage } from '../../status/analysis/analysis-message.js';

/** Reasons of cfgsrv_validation_failed (BEHAVIOUR 1, "Webhooks"). */
export type FailureReason =
  | 'unsupported_operation'
  | 'yaml_decode_error'
  | 'unknown_type'
  | 'crd_conversion_error'
  | 'invalid_resource';

/** What becomes of one request. */
export type Verdict =
  /** There is nothing to say against it. */
  | {
      readonly type: 'passed';
      /** As it will be read; undefined when its content was not looked at. */
      readonly object?: MeshObject;
      /** Fields that nothing reads. */
      readonly unknownFields: readonly Violation[];
      /** What is told of it in warnings, beside what analysis finds in the newest snapshot; absent for nothing. */
      readonly concerns?: readonly AnalysisMessage[];
    }
  /** Allowed, for it is not ours to judge, but counted as a failure (BEHAVIOUR 3, "Validation" 1). */
  | { readonly type: 'unsupported'; readonly reason: 'unsupported_operation' }
  | { readonly type: 'refused'; readonly reason: FailureReason; readonly message: string };
