import { AdsStream } from '../client/ads-stream.js';
import { DeltaSidecar } from '../client/delta-sidecar.js';
import { readDeltaRequestType } from '../wire/delta-request.js';
import { WireReader } from '../wire/wire-reader.js';

/** Field numbers of envoy.service.discovery.v3.DeltaDiscoveryRequest. */
const FIELD = { subscribe: 3, nonce: 6 } as const;

/** The first request of a type. */
export interface ScriptStep {
  readonly typeUrl: string;
  /** Its bytes, with the node that the sidecar was given for the first one. */
  readonly request: Uint8Array;
  /** Names that it asks for. 0 stands for everything: then any response completes the step. */
  readonly names: number;
}

/** The requests that a sidecar sends until it has everything, in order. Sidecars of an equal scope send the same. */
export type RequestScript = readonly ScriptStep[];

/** Makes a script of the requests of one sidecar: its acknowledgements are left out, and names of a type are joined. */
function scriptOf(requests: readonly Buffer[]): RequestScript {
  const steps = new Map<string, { request: Buffer; names: number }>();
  for (const request of requests) {
    const typeUrl = readDeltaRequestType(request);
    const { names, acknowledges } = readRequest(request);
    if (acknowledges) continue;
    const step = steps.get(typeUrl);
    // Messages of protobuf that are joined are one message with the fields of both.
    const bytes = step === undefined ? request : Buffer.concat([step.request, request]);
    steps.set(typeUrl, { request: bytes, names: (step?.names ?? 0) + names });
  }
  return [...steps].map(([typeUrl, step]) => ({ typeUrl, ...step }));
}

function readRequest(request: Buffer): { readonly names: number; readonly acknowledges: boolean } {
  const reader = new WireReader(request);
  let names = 0;
  let acknowledges = false;
  while (reader.next()) {
    if (reader.field === FIELD.subscribe) names += 1;
    if (reader.field === FIELD.nonce) acknowledges = true;
  }
  return { names, acknowledges };
}

/**
 * Connects one sidecar until it has everything, and gives its requests.
 *
 * @param node encoded Node
 */
export function learnScript(target: string, node: Buffer): Promise<RequestScript> {
  return new Promise((resolve, reject) => {
    const requests: Buffer[] = [];
    const handlers = {
      message: (bytes: Buffer) => sidecar.receive(bytes),
      failed: (reason: string) => reject(new Error(`The sidecar that others imitate failed: ${reason}`)),
    };
    const stream = new AdsStream(target, handlers, 'delta');
    const sidecar = new DeltaSidecar(node, {
      send: (request) => {
        requests.push(request);
        stream.send(request);
      },
      received: () => {},
      completed: () => {
        stream.close();
        resolve(scriptOf(requests));
      },
    });
    sidecar.beginPhase({ kind: 'sync' });
    sidecar.start();
  });
}
