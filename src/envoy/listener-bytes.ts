import type { FilterChain } from '../generated/envoy/config/listener/v3/FilterChain.js';
import type { Listener } from '../generated/envoy/config/listener/v3/Listener.js';
import type { EncodedResource } from './encoded-resource.js';
import { frameField, frameResource, type MessageEncoder } from './message-encoder.js';
import { TypeUrl } from './type-urls.js';

const FILTER_CHAIN = 'type.googleapis.com/envoy.config.listener.v3.FilterChain';
const FILTER_CHAINS_FIELD = 3;
const DEFAULT_FILTER_CHAIN_FIELD = 25;

/** A listener without its chains, and the encoded chains, which listeners may share. */
export interface ListenerParts {
  readonly head: Omit<Listener, 'filterChains' | 'defaultFilterChain'> & { readonly name: string };
  /** Encoded by encodeFilterChain. */
  readonly chains: readonly Buffer[];
  /** For connections that no chain matches; without it they are closed. */
  readonly defaultChain?: Buffer | undefined;
}

export function encodeFilterChain(encoder: MessageEncoder, chain: FilterChain): Buffer {
  return encoder.encode(FILTER_CHAIN, chain);
}

/** Composes a listener from encoded chains. */
export function composeListener(
  encoder: MessageEncoder,
  { head, chains, defaultChain }: ListenerParts,
): EncodedResource {
  const fields = [encoder.encode(TypeUrl.listener, head)];
  for (const chain of chains) fields.push(frameField(FILTER_CHAINS_FIELD, chain));
  if (defaultChain !== undefined) fields.push(frameField(DEFAULT_FILTER_CHAIN_FIELD, defaultChain));
  return frameResource(TypeUrl.listener, head.name, Buffer.concat(fields));
}
