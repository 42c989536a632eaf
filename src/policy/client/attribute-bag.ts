import type { AttributeValue } from './attribute-value.js';
import { acceptForwarded } from './forwarded-attributes.js';

/** Attributes of one origin, by name. Layers are shared between requests: never written to after they were made. */
export type AttributeLayer = ReadonlyMap<string, AttributeValue>;

/** A layer without attributes. */
export const EMPTY_LAYER: AttributeLayer = new Map();

/**
 * The attributes of one request or connection that Check, Quota and Report use
 * (docs/reference/policy-kinds.md#attributes).
 */
export interface AttributeBag {
  /** The value that takes precedence, or undefined when no layer has the name. */
  get(name: string): AttributeValue | undefined;
  /** Every name once, with the value that `get` gives. */
  entries(): IterableIterator<[string, AttributeValue]>;
  /** A bag with the layer's attributes over those of this bag, which does not change. Costs nothing per attribute. */
  overlaid(layer: AttributeLayer): AttributeBag;
}

/**
 * Where the attributes of a request come from, in the order of docs/reference/policy-client.md#attribute-order: later
 * members take precedence.
 */
export interface AttributeOrigins {
  /** `mixerAttributes` of the filter's HttpClientConfig or TcpClientConfig. */
  readonly staticFilter: AttributeLayer;
  /** `mixerAttributes` of the service's or route's ServiceConfig. */
  readonly staticRoute?: AttributeLayer;
  /** `forwardAttributes` of the source's filter, when the caller sent them. */
  readonly forwardedFilter?: AttributeLayer;
  /** `forwardAttributes` of the source's route. The header of a caller, which contains both, belongs here too. */
  readonly forwardedRoute?: AttributeLayer;
  /** Attributes derived from the request. */
  readonly requestDerived: AttributeLayer;
  /** `ignoreForwardedAttributes` of HttpClientConfig. */
  readonly ignoreForwarded: boolean;
  /** Gateways ignore forwarded attributes in any case. */
  readonly isGateway: boolean;
}

const SERVICE_HOST = 'destination.service.host';
/** Names of docs/reference/policy-kinds.md#attributes for the host of the service, where no layer has them. */
const ALIASES: readonly string[] = ['destination.service', 'target.service'];

class LayeredAttributeBag implements AttributeBag {
  /** The layer with the highest precedence first. */
  readonly #layers: readonly AttributeLayer[];

  constructor(layers: readonly AttributeLayer[]) {
    this.#layers = layers;
  }

  get(name: string): AttributeValue | undefined {
    const layers = this.#layers;
    for (let index = 0; index < layers.length; index++) {
      const value = layers[index]?.get(name);
      if (value !== undefined) return value;
    }
    return ALIASES.includes(name) ? this.get(SERVICE_HOST) : undefined;
  }

  *entries(): IterableIterator<[string, AttributeValue]> {
    for (const [index, layer] of this.#layers.entries()) {
      for (const [name, value] of layer) {
        if (!this.#isHidden(name, index)) yield [name, value];
      }
    }
    for (const name of ALIASES) {
      const value = this.#isHidden(name, this.#layers.length) ? undefined : this.get(name);
      if (value !== undefined) yield [name, value];
    }
  }

  overlaid(layer: AttributeLayer): AttributeBag {
    return layer.size === 0 ? this : new LayeredAttributeBag([layer, ...this.#layers]);
  }

  #isHidden(name: string, below: number): boolean {
    for (let index = 0; index < below; index++) {
      if (this.#layers[index]?.has(name)) return true;
    }
    return false;
  }
}

/** A bag of a single layer. */
export function bagOf(layer: AttributeLayer): AttributeBag {
  return new LayeredAttributeBag([layer]);
}

/**
 * The bag of a request, in the order of docs/reference/policy-client.md#attribute-order. Forwarded attributes are used
 * when they are present and not ignored, and the proxy is not a gateway. `acceptForwarded` selects the attributes that
 * a caller may send.
 */
export function createAttributeBag(origins: AttributeOrigins): AttributeBag {
  const layers: AttributeLayer[] = [origins.requestDerived];
  if (!origins.ignoreForwarded && !origins.isGateway) {
    pushLayer(layers, origins.forwardedRoute && acceptForwarded(origins.forwardedRoute));
    pushLayer(layers, origins.forwardedFilter && acceptForwarded(origins.forwardedFilter));
  }
  pushLayer(layers, origins.staticRoute);
  pushLayer(layers, origins.staticFilter);
  return new LayeredAttributeBag(layers);
}

function pushLayer(layers: AttributeLayer[], layer: AttributeLayer | undefined): void {
  if (layer !== undefined && layer.size > 0) layers.push(layer);
}
