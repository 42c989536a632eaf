import type { ResponseHeader } from '../../envoy/discovery-response.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import type { MessageJson } from '../../envoy/message-json.js';
import type { ResourceSet } from '../../envoy/resource-set.js';
import { createWireMessage, type WireMessage } from '../../envoy/wire-message.js';
import type { Work } from '../../push/work.js';

/** Writes resources as JSON, each resource and each set once for all proxies. */
export interface RestDocuments {
  /** Stands for the JSON of a set, so that no cache takes it for the encoded messages. */
  groupOf(set: ResourceSet): object;
  /** The resources of a set, separated by commas. */
  prepareBody(set: ResourceSet): Work<Buffer>;
}

/** Resources that are written before the work pauses. */
const WRITTEN_AT_ONCE = 16;

/** @param json with the configuration sources of REST (`restMessageJson`) */
export function createRestDocuments(json: Pick<MessageJson, 'resourceToJson'>): RestDocuments {
  const resources = new WeakMap<EncodedResource, Buffer>();
  const groups = new WeakMap<ResourceSet, object>();
  const write = (resource: EncodedResource): Buffer => {
    const known = resources.get(resource);
    if (known !== undefined) return known;
    const written = Buffer.from(JSON.stringify(json.resourceToJson(resource)));
    resources.set(resource, written);
    return written;
  };
  return {
    groupOf: (set) => {
      const group = groups.get(set) ?? {};
      groups.set(set, group);
      return group;
    },
    *prepareBody(set) {
      const pieces: Buffer[] = [];
      for (const [index, resource] of set.resources.entries()) {
        if (index > 0) pieces.push(COMMA);
        pieces.push(write(resource));
        if (index % WRITTEN_AT_ONCE === WRITTEN_AT_ONCE - 1) yield;
      }
      return Buffer.concat(pieces);
    },
  };
}

const COMMA = Buffer.from(',');

/** The JSON of a DiscoveryResponse. */
export function composeRestResponse(header: ResponseHeader, body: readonly Uint8Array[]): WireMessage {
  const { versionInfo, typeUrl, nonce, controlPlane: identifier } = header;
  const head = JSON.stringify({ versionInfo, typeUrl, nonce, controlPlane: { identifier } }).slice(0, -1);
  return createWireMessage([Buffer.from(`${head},"resources":[`), ...body, Buffer.from(']}')]);
}
