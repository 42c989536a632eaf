import type { AttributeLayer } from '../../client/attribute-bag.js';

/** The statements of a proxy about itself, from the configuration in its calls. */
export interface CallClaims {
  /** `inbound` by default, the side with the stricter rules. */
  readonly side: 'inbound' | 'outbound';
  /** The namespaces of the workload in the configuration, by attribute. */
  readonly namespaces: readonly { readonly attribute: string; readonly namespace: string }[];
  /** An attribute that a proxy of that side may not set. */
  readonly foreignAttribute: string | undefined;
}

/** Attributes that name the proxy's own workload. */
const OWN_NAMES = {
  inbound: ['context.reporter.uid', 'destination.uid', 'destination.namespace'],
  outbound: ['context.reporter.uid', 'source.uid', 'source.namespace'],
} as const;

/** @param layer `mixerAttributes` of the configuration */
export function readCallClaims(layer: AttributeLayer): CallClaims {
  const side = stringAttributeOf(layer, 'context.reporter.kind') === 'outbound' ? 'outbound' : 'inbound';
  return {
    side,
    namespaces: namespacesIn(layer, OWN_NAMES[side]),
    foreignAttribute: [...layer.keys()].find((name) => isForeign(name, side)),
  };
}

/** The namespaces that attributes of a layer name. */
export function namespacesIn(layer: AttributeLayer, names: readonly string[]): CallClaims['namespaces'] {
  return names.flatMap((attribute) => {
    const text = stringAttributeOf(layer, attribute);
    if (text === undefined) return [];
    return [{ attribute, namespace: attribute.endsWith('.uid') ? namespaceOfUid(text) : text }];
  });
}

/** Only the other proxy may name the source of inbound traffic and the workload behind outbound traffic. */
function isForeign(name: string, side: CallClaims['side']): boolean {
  if (side === 'inbound') return name.startsWith('source.');
  return name.startsWith('destination.') && !name.startsWith('destination.service.');
}

function stringAttributeOf(layer: AttributeLayer, name: string): string | undefined {
  const value = layer.get(name);
  return value?.type === 'string' ? value.value : undefined;
}

/**
 * The namespace in `orchestrator://<name>.<namespace>`; the whole text for another form, which is no valid namespace.
 */
function namespaceOfUid(uid: string): string {
  return /^orchestrator:\/\/[^/]*\.([^./]+)$/.exec(uid)?.[1] ?? uid;
}
