import type { AttributeLayer } from '../../client/attribute-bag.js';
import type { RefundOffer } from '../../client/check-flow.js';
import type { DecisionFacts } from '../../client/http-report-attributes.js';
import { withoutServiceNamespace } from '../../client/service-namespace.js';
import { DYNAMIC_METADATA_NAMESPACE, FORWARDED_METADATA_KEY } from '../../wire/call-metadata.js';
import { readCheckMetadata } from '../adapter/check-metadata.js';
import type { WireLogCommon } from '../adapter/envoy-messages.js';
import { type LogOrigin, serviceOfCluster } from '../adapter/log-origin.js';
import { textField } from '../adapter/wire-values.js';
import type { CompiledServices, KnownService } from '../compiled-services.js';
import type { ForwardedAttributes } from '../policy-texts.js';
import type { TcpConnections } from '../tcp-connections.js';

/** The parts that make reports of log entries. */
export interface ReportEnvironment {
  readonly services: CompiledServices;
  /** Reads the header x-mesh-attributes. */
  readonly forwarded: (text: string | undefined) => ForwardedAttributes;
  /** Reads the attributes that a Check has left; empty for an invalid text. */
  readonly attributesOf: (text: string | undefined) => AttributeLayer;
  readonly connections: TcpConnections;
}

/** The context of a log entry: from its Check, or from the origin of its log. */
export interface LogContext {
  readonly host: string | undefined;
  readonly service: KnownService;
  readonly staticLayer: AttributeLayer;
  readonly forwardedLayer: AttributeLayer;
  /** The attributes of the Check that the log lacks. */
  readonly requestLayer: AttributeLayer;
  readonly decision: DecisionFacts;
  /** What may be given back, from the Check. */
  readonly refund: RefundOffer | undefined;
  readonly isChecked: boolean;
  /** Whether the service or the proxy has disabled reports. */
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
  // The texts of a Check come back from the proxy, which can have changed them.
  const layerOf = (text: string | undefined) => withoutServiceNamespace(attributesOf(text));
  const ofProxy = check === undefined ? undefined : layerOf(check.staticAttributes);
  return {
    host,
    service,
    staticLayer: ofProxy === undefined || ofProxy.size === 0 ? withoutServiceNamespace(origin.staticLayer) : ofProxy,
    // The Check has left the accepted attributes: none when its proxy ignores them.
    forwardedLayer: check === undefined ? toldLayer : layerOf(check.forwardedAttributes),
    requestLayer: layerOf(check?.requestAttributes),
    decision: check?.decision ?? {},
    refund: check?.refund,
    isChecked: check !== undefined,
    isDisabled: (service.calls.disableReportCalls ?? false) || (check?.disableReports ?? false),
  };
}
