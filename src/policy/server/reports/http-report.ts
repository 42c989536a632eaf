import { type AttributeBag, type AttributeLayer, createAttributeBag } from '../../client/attribute-bag.js';
import type { CompiledApiSpecs } from '../../client/compile-api-specs.js';
import { deriveHttpAttributes } from '../../client/http-attributes.js';
import { deriveHttpReportAttributes } from '../../client/http-report-attributes.js';
import { WORKLOAD_LABELS } from '../../client/workload-labels.js';
import type { WireHttpLogEntry } from '../adapter/envoy-messages.js';
import { httpLogRequestFacts, httpLogResponseFacts } from '../adapter/http-log-facts.js';
import type { LogOrigin } from '../adapter/log-origin.js';
import type { LogContext } from './log-context.js';

/**
 * The attributes of a finished request: those of its Check (docs/reference/policy-client.md#attribute-order) and of its
 * Report.
 *
 * @param api of the service of the context
 */
export function httpReportAttributes(
  entry: WireHttpLogEntry,
  origin: LogOrigin,
  context: LogContext,
  api: CompiledApiSpecs,
): AttributeBag {
  const { service, staticLayer, forwardedLayer, requestLayer, decision } = context;
  const derived = deriveHttpAttributes(httpLogRequestFacts(entry), api.forWorkload(staticLayer.get(WORKLOAD_LABELS)));
  const bag = createAttributeBag({
    staticFilter: staticLayer,
    staticRoute: service.staticLayer,
    forwardedRoute: forwardedLayer,
    // Attributes of the Check take precedence, because it has all headers.
    requestDerived: requestLayer.size === 0 ? derived : mergeLayers(derived, requestLayer),
    ignoreForwarded: false,
    isGateway: origin.isGateway,
  });
  return bag.overlaid(deriveHttpReportAttributes(httpLogResponseFacts(entry, origin.side, decision), bag));
}

function mergeLayers(first: AttributeLayer, second: AttributeLayer): AttributeLayer {
  return new Map([...first, ...second]);
}
