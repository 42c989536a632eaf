/**
 * The policy client library as others see it: `import … from 'navigator-discovery/policy-client'`. See
 * docs/policy-client.md for a worked example.
 *
 * Files of this project import one another directly. A package is imported by one path that stays while the files behind
 * it are moved, so that this list has to be; nothing inside the project imports it.
 */

export { type Clock, systemClock } from '../base/clock.js';
export type { RpcCode } from '../base/rpc-code.js';
export type { HttpClientConfig, ServiceConfig, TcpClientConfig } from '../config/policy/client-config.js';
export type { HttpApiSpec } from '../config/policy/http-api-spec.js';
export type { QuotaSpec } from '../config/policy/quota-spec.js';
// Attributes of requests and connections.
export {
  type AttributeBag,
  type AttributeLayer,
  type AttributeOrigins,
  bagOf,
  createAttributeBag,
  EMPTY_LAYER,
} from './client/attribute-bag.js';
export {
  type AttributeType,
  type AttributeValue,
  boolAttribute,
  bytesAttribute,
  doubleAttribute,
  durationAttribute,
  int64Attribute,
  stringAttribute,
  stringMapAttribute,
  timestampAttribute,
} from './client/attribute-value.js';
export {
  type AttributesConfig,
  type AttributeValueConfig,
  AttributeValueError,
  readAttributes,
  readAttributeValue,
} from './client/attributes-from-config.js';
// Decisions and reports.
export type { CheckDecision, CheckFailure } from './client/check-flow.js';
export type { ClientCounter, ClientStatisticsSnapshot } from './client/client-statistics.js';
// Specs as they are written, made ready for requests.
export { type CompiledApiSpecs, compileApiSpecs, type HttpApiSpecConfig } from './client/compile-api-specs.js';
export type { SpecProblem } from './client/compile-quota-specs.js';
export {
  type CompiledQuotaSpecs,
  compileQuotaSpecs,
  type QuotaCharge,
  type QuotaSpecConfig,
} from './client/compile-quota-specs.js';
export type { ConnectionFacts } from './client/connection-attributes.js';
export type { FailedPart, OnClientError } from './client/guarded-dependencies.js';
export { type HeaderMap, headerMapOf } from './client/header-map.js';
export { deriveHttpAttributes, type HttpRequestFacts, type RequestAuthFacts } from './client/http-attributes.js';
export {
  type DecisionFacts,
  deriveHttpReportAttributes,
  type HttpResponseFacts,
} from './client/http-report-attributes.js';
export {
  createPolicyClient,
  type PolicyCheck,
  type PolicyClient,
  type PolicyClientDependencies,
  type PolicyReport,
  type ServiceCallConfig,
  serviceConfigFor,
} from './client/policy-client.js';
export type { PolicyStatus } from './client/policy-status.js';
export { type DenialResponse, denialResponse, type RouteDirective } from './client/policy-status.js';
// The way to a policy server.
export {
  type CallOptions,
  type CheckRequest,
  type CheckResponse,
  type PolicyTransport,
  PolicyTransportError,
  type PreconditionResult,
  type QuotaParams,
  type QuotaResult,
  type ReportRequest,
  type TransportFailure,
} from './client/policy-transport.js';
export type { AttributeReference, ReferenceCondition, ReferencedAttributes } from './client/referenced-attributes.js';
export {
  deriveTcpAttributes,
  deriveTcpReportAttributes,
  type TcpByteCounts,
  type TcpConnectionFacts,
  type TcpReportEvent,
  type TcpReportFacts,
} from './client/tcp-attributes.js';
export { startTcpReports, type TcpReportsOptions, tcpReportIntervalMs } from './client/tcp-reports.js';
export type { NetworkFailPolicyConfig, TransportConfig } from './client/transport-config.js';
export {
  createGrpcPolicyTransport,
  type GrpcPolicyTransport,
  type GrpcPolicyTransportOptions,
} from './remote/grpc-policy-transport.js';
export { FORWARDED_ATTRIBUTES_HEADER } from './wire/call-metadata.js';
export { type ConfigDecoder, createConfigDecoder } from './wire/config-decoder.js';
export {
  type ConfigEncoder,
  createConfigEncoder,
  type ForwardingConfig,
  forwardedAttributesHeader,
} from './wire/config-encoder.js';
export { createPolicyCodec, type PolicyCodec, type PolicyCodecOptions } from './wire/policy-codec.js';
export { loadPolicyProtos } from './wire/policy-protos.js';
