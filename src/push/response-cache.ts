import { randomUUID } from 'node:crypto';
import { composeDiscoveryResponse, type ResponseHeader } from '../envoy/discovery-response.js';
import type { WireMessage } from '../envoy/wire-message.js';

/** A response with the same bytes for all streams of a group. */
export interface ComposedResponse {
  readonly nonce: string;
  readonly version: string;
  readonly message: WireMessage;
}

/** The parts of a response. */
export interface ResponseContent {
  /** An object that stands for the content, such as a ResourceSet. Streams with the same object share responses. */
  readonly group: object;
  readonly typeUrl: string;
  readonly versionInfo: string;
  /** Ledger version that starts the nonce; empty if tracking is off. */
  readonly configVersion: string;
  /** Entries of encoded resources. Called only if the response has to be composed. */
  body(): readonly Uint8Array[];
  /** Puts the header around the body. Default: as a state-of-the-world response. */
  readonly compose?: (header: ResponseHeader, body: readonly Uint8Array[]) => WireMessage;
}

/** Composes each response once per group. */
export interface ResponseCache {
  /** Finds a response that is being written to a stream; undefined if there is none. */
  find(content: Omit<ResponseContent, 'body' | 'compose'>, usedNonce: string): ComposedResponse | undefined;
  /** @param usedNonce the stream's last nonce, so that no stream gets a nonce twice */
  responseFor(content: ResponseContent, usedNonce: string): ComposedResponse;
  /** Responses composed since start. */
  readonly composed: number;
  /** Responses found since start, which another stream had composed. */
  readonly reused: number;
}

interface Remembered {
  readonly configVersion: string;
  /** Kept only while a stream writes it: the bytes of all states that proxies have would fill the memory. */
  readonly response: WeakRef<ComposedResponse>;
}

/** @param controlPlane ControlPlane.identifier of every response. */
export function createResponseCache(controlPlane: string): ResponseCache {
  /** The newest response of each group. */
  const newest = new WeakMap<object, Remembered>();
  let composed = 0;
  let reused = 0;

  const find: ResponseCache['find'] = ({ group, configVersion, versionInfo }, usedNonce) => {
    const remembered = newest.get(group);
    const known = remembered?.configVersion === configVersion ? remembered.response.deref() : undefined;
    if (known?.version !== versionInfo || known.nonce === usedNonce) return undefined;
    reused++;
    return known;
  };

  return {
    find,
    responseFor: (content, usedNonce) => {
      const known = find(content, usedNonce);
      if (known !== undefined) return known;
      composed++;
      const response = compose(content, controlPlane);
      newest.set(content.group, { configVersion: content.configVersion, response: new WeakRef(response) });
      return response;
    },
    get composed() {
      return composed;
    },
    get reused() {
      return reused;
    },
  };
}

/** Composes a response for each stream and keeps none: for resources that no cache may hold. */
export function createUncachedResponses(controlPlane: string): ResponseCache {
  let composed = 0;
  return {
    find: () => undefined,
    responseFor: (content) => {
      composed++;
      return compose(content, controlPlane);
    },
    get composed() {
      return composed;
    },
    reused: 0,
  };
}

function compose(
  { configVersion, typeUrl, versionInfo, body, compose: composeMessage = composeDiscoveryResponse }: ResponseContent,
  controlPlane: string,
): ComposedResponse {
  const nonce = `${configVersion}${randomUUID()}`;
  const header = { versionInfo, typeUrl, nonce, controlPlane };
  return { nonce, version: versionInfo, message: composeMessage(header, body()) };
}
