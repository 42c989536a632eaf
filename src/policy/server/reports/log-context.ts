import type { AttributeLayer } from '../../client/attribute-bag.js';
import type { DecisionFacts } from '../../client/http-report-attributes.js';
import { DYNAMIC_METADATA_NAMESPACE, FORWARDED_METADATA_KEY } from '../../wire/call-metadata.js';
import { readCheckMetadata } from '../adapter/check-metadata.js';
import type { WireLogCommon } from '../adapter/envoy-messages.js';
import { type LogOrigin, serviceOfCluster } from '../adapter/log-origin.js';
import { textField } from '../adapter/wire-values.js';
import type { CompiledServices, KnownService } from '../compiled-services.js';
import type { ForwardedAttributes } from '../policy-texts.js';
import type { TcpConnections } from '../tcp-connections.js';

/** What making reports of log entries needs beside the entries. */
export interface ReportEnvironment {
  readonly services: CompiledServices;
  /** Reads the header x-mesh-attributes. */
  readonly forwarded: (text: string | undefined) => ForwardedAttributes;
  /** Reads what a Check has left; nothing for what is none. */
  readonly attributesOf: (text: string | undefined) => AttributeLayer;
  readonly connections: TcpConnections;
}

/** What is known of a log entry beside the entry: from its Check, or else from whose log it is. */
export interface LogContext {
  readonly host: string | undefined;
  readonly service: KnownService;
  readonly staticLayer: AttributeLayer;
  readonly forwardedLayer: AttributeLayer;
  /** What the Check derived and the log does not have. */
  readonly requestLayer: AttributeLayer;
  readonly decision: DecisionFacts;
  readonly isChecked: boolean;
  /** Whether the service or the proxy's own configuration wants no reports. */
  readonly isDisabled: boolean;
}

export function logContextOf(
  { services, forwarded, attributesOf }: ReportEnvironment,
  origin: LogOrigin,
  common: WireLogCommon,
): LogContext {
  const check = readCheckMetadata(common.metadata);
  const host = check?.service ?? serviceOfCluster(common.upstreamCluster);
  const service = services.find(host);
  const ofHeader = textField(common.metadata?.filterMetadata?.[DYNAMIC_METADATA_NAMESPACE], FORWARDED_METADATA_KEY);
  const told = forwarded(ofHeader);
  const toldLayer = service.isKnown ? told.ofCaller.layer : told.layer;
  const ofProxy = check === undefined ? undefined : attributesOf(check.staticAttributes);
  return {
    host,
    service,
    staticLayer: ofProxy === undefined || ofProxy.size === 0 ? origin.staticLayer : ofProxy,
    // A Check has left those that counted for it: none when its proxy ignores them.
    forwardedLayer: check === undefined ? toldLayer : attributesOf(check.forwardedAttributes),
    requestLayer: attributesOf(check?.requestAttributes),
    decision: check?.decision ?? {},
    isChecked: check !== undefined,
    isDisabled: (service.calls.disableReportCalls ?? false) || (check?.disableReports ?? false),
  };
}
