import type { ApiGateway } from './gateways.js';
import type { ApiListener } from './listeners.js';
import { condition, type GatewayReport, type ListenerReport, type ReportedCondition } from './report.js';

/** @param attachedTo the number of routes of a listener */
export function reportGateway(gateway: ApiGateway, attachedTo: (listener: ApiListener) => number): GatewayReport {
  const { key, object, listeners, placement } = gateway;
  const listenerReports = listeners.map((listener): ListenerReport => {
    const { spec, supportedKinds, certificate } = listener;
    return {
      name: spec.name,
      supportedKinds,
      attachedRoutes: attachedTo(listener),
      conditions: [...listener.conditions, programmedListener(gateway, listener)],
      ...(certificate === undefined ? {} : { certificate }),
    };
  });
  return {
    key,
    generation: object.metadata.generation,
    conditions: [acceptedOf(gateway), programmedOf(gateway)],
    addresses: placement.type === 'service' ? placement.addresses : [],
    listeners: listenerReports,
  };
}

function programmedListener({ placement }: ApiGateway, { isServed }: ApiListener): ReportedCondition {
  if (!isServed) return condition('Programmed', false, 'Invalid', 'see the other conditions of the listener');
  if (placement.type === 'none') return condition('Programmed', false, 'Pending', placement.message);
  return condition('Programmed', true, 'Programmed');
}

function acceptedOf({ listeners, object: { body } }: ApiGateway): ReportedCondition {
  const idle = [
    ...(body.infrastructure === undefined ? [] : ['infrastructure']),
    ...(body.tls === undefined ? [] : ['tls']),
    ...(body.allowedListeners === undefined ? [] : ['allowedListeners']),
    ...(body.defaultScope === undefined ? [] : ['defaultScope']),
    ...listeners.flatMap(({ spec, index }) => [
      ...(spec.tls?.options === undefined ? [] : [`listeners[${index}].tls.options`]),
      ...((spec.tls?.certificateRefs.length ?? 0) > 1 ? [`listeners[${index}].tls.certificateRefs[1]`] : []),
    ]),
  ];
  const note = idle.length === 0 ? '' : `these fields have no effect in this mesh: spec.${idle.join(', spec.')}`;
  const invalid = listeners.filter(({ isServed }) => !isServed).map(({ spec }) => spec.name);
  if (invalid.length === 0) return condition('Accepted', true, 'Accepted', note);
  const message = `these listeners are not served: ${invalid.join(', ')}${note === '' ? '' : `; ${note}`}`;
  return condition('Accepted', invalid.length < listeners.length, 'ListenersNotValid', message);
}

function programmedOf({ listeners, placement }: ApiGateway): ReportedCondition {
  if (placement.type === 'none') return condition('Programmed', false, placement.reason, placement.message);
  if (listeners.some(({ isServed }) => isServed)) return condition('Programmed', true, 'Programmed');
  return condition('Programmed', false, 'Invalid', 'no listener is served; see the conditions of the listeners');
}
