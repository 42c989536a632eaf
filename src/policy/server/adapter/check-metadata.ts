import type { RefundOffer } from '../../client/check-flow.js';
import type { DecisionFacts } from '../../client/http-report-attributes.js';
import { CHECK_ERROR_CODE_KEY } from '../../wire/call-metadata.js';
import { readAnswerHeaders } from './answer-headers.js';
import type { WireMetadata, WireStruct, WireValue } from './envoy-messages.js';
import { boolField, numberField, textField } from './wire-values.js';

/** The namespaces in which Envoy stores the dynamic metadata of the answers. */
const CHECK_NAMESPACES = ['envoy.filters.http.ext_authz', 'envoy.filters.network.ext_authz'] as const;

/**
 * The data of a Check for its report, which otherwise knows only the access log. Attributes are texts as in the header
 * x-mesh-attributes, missing for none.
 */
export interface CheckMetadata {
  /** Host of the service that was checked. */
  readonly service?: string | undefined;
  /** Of the proxy's own configuration. */
  readonly staticAttributes?: string | undefined;
  /** The accepted forwarded attributes. */
  readonly forwardedAttributes?: string | undefined;
  /** Attributes from data that the log lacks: the API operation and key, claims, the protocol. */
  readonly requestAttributes?: string | undefined;
  readonly decision: DecisionFacts;
  /** What may be given back after the response. */
  readonly refund?: RefundOffer | undefined;
  /** Whether the proxy's configuration wants no reports. */
  readonly disableReports?: boolean | undefined;
  /** Whether the server was overloaded, so that the fail policy answered. */
  readonly isShed?: boolean | undefined;
}

/** The metadata as the Struct of a CheckResponse. */
export function checkMetadataStruct(metadata: CheckMetadata): WireStruct {
  const { decision } = metadata;
  const fields: Record<string, WireValue> = {};
  const text = (key: string, value: string | undefined): void => {
    if (value !== undefined && value !== '') fields[key] = { stringValue: value };
  };
  const flag = (key: string, value: boolean | undefined): void => {
    if (value !== undefined) fields[key] = { boolValue: value };
  };
  text('service', metadata.service);
  text('static_attributes', metadata.staticAttributes);
  text('forwarded_attributes', metadata.forwardedAttributes);
  text('request_attributes', metadata.requestAttributes);
  if (decision.checkErrorCode !== undefined) fields[CHECK_ERROR_CODE_KEY] = { numberValue: decision.checkErrorCode };
  text('check_error_message', decision.checkErrorMessage);
  text('check_dry_run', decision.dryRun);
  flag('check_cache_hit', decision.isCheckCacheHit);
  flag('quota_cache_hit', decision.isQuotaCacheHit);
  text('refund_ticket', metadata.refund?.ticket);
  text('refund_codes', metadata.refund?.codes);
  if (metadata.disableReports) flag('disable_reports', true);
  if (metadata.isShed) flag('overloaded', true);
  return { fields };
}

/** The data of the Check in the metadata of a log entry; undefined without a Check or an answer. */
export function readCheckMetadata(metadata: WireMetadata | null | undefined): CheckMetadata | undefined {
  const structs = CHECK_NAMESPACES.map((name) => metadata?.filterMetadata?.[name]);
  // Envoy also writes the duration of a failed Check there.
  const struct = structs.find((candidate) => numberField(candidate, CHECK_ERROR_CODE_KEY) !== undefined);
  // Only the filter for HTTP asks over HTTP/1.1.
  if (struct === undefined) return readAnswerHeaders(structs[0]);
  const checkErrorCode = numberField(struct, CHECK_ERROR_CODE_KEY);
  const checkErrorMessage = textField(struct, 'check_error_message');
  const dryRun = textField(struct, 'check_dry_run');
  const isCheckCacheHit = boolField(struct, 'check_cache_hit');
  const isQuotaCacheHit = boolField(struct, 'quota_cache_hit');
  const ticket = textField(struct, 'refund_ticket');
  const codes = textField(struct, 'refund_codes');
  return {
    service: textField(struct, 'service'),
    staticAttributes: textField(struct, 'static_attributes'),
    forwardedAttributes: textField(struct, 'forwarded_attributes'),
    requestAttributes: textField(struct, 'request_attributes'),
    ...(ticket !== undefined && codes !== undefined && { refund: { ticket, codes } }),
    disableReports: boolField(struct, 'disable_reports') ?? false,
    decision: {
      ...(checkErrorCode !== undefined && { checkErrorCode }),
      ...(checkErrorMessage !== undefined && { checkErrorMessage }),
      ...(dryRun !== undefined && { dryRun }),
      ...(isCheckCacheHit !== undefined && { isCheckCacheHit }),
      ...(isQuotaCacheHit !== undefined && { isQuotaCacheHit }),
    },
  };
}
