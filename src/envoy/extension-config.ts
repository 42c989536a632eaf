import type { ConfigSource } from '../generated/envoy/config/core/v3/ConfigSource.js';
import type { ExtensionConfigSource } from '../generated/envoy/config/core/v3/ExtensionConfigSource.js';
import type { TypedExtensionConfig } from '../generated/envoy/config/core/v3/TypedExtensionConfig.js';
import type { EncodedResource } from './encoded-resource.js';
import type { MessageEncoder, PackedAny } from './message-encoder.js';
import { TypeUrl } from './type-urls.js';

/** A filter whose configuration the proxy requests by the filter's name (ECDS). */
export interface DiscoveredFilter {
  name: string;
  configDiscovery: ExtensionConfigSource;
}

/**
 * A filter that can change without its listener. Envoy uses the listener once the filter's first configuration has
 * arrived; new requests and connections get the newest configuration.
 *
 * @param typeUrl of the configuration; Envoy refuses any other
 */
export function discoveredFilter(name: string, typeUrl: string, configSource: ConfigSource): DiscoveredFilter {
  return { name, configDiscovery: { configSource, typeUrls: [typeUrl] } };
}

/** The configuration of a filter as a resource of its own. */
export function encodeExtensionConfig(encoder: MessageEncoder, name: string, typedConfig: PackedAny): EncodedResource {
  const config: TypedExtensionConfig = { name, typedConfig };
  return encoder.encodeResource(TypeUrl.extensionConfig, name, config);
}
