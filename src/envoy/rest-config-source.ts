import { createMessageJson, type Json, type MessageJson } from './message-json.js';
import type { ProtoRegistry } from './proto-registry.js';

/** Name of the cluster of the control plane in the bootstrap of a REST proxy (docs/reference/xds.md#rest). */
const REST_CLUSTER = 'xds-rest';

/** Envoy waits between this time and twice as long from one poll to the next. */
const REFRESH_SECONDS = 0.25;
/** Time that Envoy waits for an answer, beyond the time that the server lets a poll wait. */
const ANSWER_SECONDS = 10;

/**
 * The JSON of resources for REST proxies. They have no aggregated stream, so the resources that a resource refers to
 * come over REST too: Envoy rejects `ads` where the bootstrap has no `ads_config`.
 *
 * @param pollMs how long a poll may wait
 */
export function createRestMessageJson(registry: ProtoRegistry, pollMs: number): MessageJson {
  const apiConfigSource: Json = {
    apiType: 'REST',
    transportApiVersion: 'V3',
    clusterNames: [REST_CLUSTER],
    refreshDelay: `${REFRESH_SECONDS}s`,
    requestTimeout: `${Math.ceil(pollMs / 1000) + ANSWER_SECONDS}s`,
  };
  const json = createMessageJson(registry, {
    isForEnvoy: true,
    replace: (fullName, message) => {
      if (fullName !== '.envoy.config.core.v3.ConfigSource' || !Object.hasOwn(message, 'ads')) return undefined;
      const { ads: _ads, ...others } = message;
      const rest = json.bytesToJson(CONFIG_SOURCE, registry.type(CONFIG_SOURCE).encode(others).finish());
      const { '@type': _type, ...fields } = rest as { [key: string]: Json };
      return { ...fields, apiConfigSource };
    },
  });
  return json;
}

const CONFIG_SOURCE = 'type.googleapis.com/envoy.config.core.v3.ConfigSource';
