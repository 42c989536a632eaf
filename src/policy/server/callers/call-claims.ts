import type { AttributeLayer } from '../../client/attribute-bag.js';

/** What a proxy's own configuration, which its calls bring, says of that proxy. */
export interface CallClaims {
  /** `inbound` unless the configuration says otherwise: that side has the stricter rules. */
  readonly side: 'inbound' | 'outbound';
  /** Namespaces that it says its workload is in, by the attribute that says so. */
  readonly namespaces: readonly { readonly attribute: string; readonly namespace: string }[];
  /** An attribute that a proxy of that side has no say about. */
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

/** The source of inbound traffic and the workload behind outbound traffic are for the other proxy to name. */
function isForeign(name: string, side: CallClaims['side']): boolean {
  if (side === 'inbound') return name.startsWith('source.');
  return name.startsWith('destination.') && !name.startsWith('destination.service.');
}

function stringAttributeOf(layer: AttributeLayer, name: string): string | undefined {
  const value = layer.get(name);
  return value?.type === 'string' ? value.value : undefined;
}

/** `orchestrator://<name>.<namespace>`; the whole text where it has another form, so that it is no namespace. */
function namespaceOfUid(uid: string): string {
  return /^orchestrator:\/\/[^/]*\.([^./]+)$/.exec(uid)?.[1] ?? uid;
}
