import { Client, type ClientDuplexStream, credentials } from '@grpc/grpc-js';
import { encodeNode, type NodeIdentity } from '../../../bench/wire/node-message.js';
import {
  decodeDiscoveryResponse,
  encodeDiscoveryRequest,
  unpackResource,
} from '../../../src/xds-client/discovery-messages.js';
import { eventually } from '../../support/eventually.js';
import type { Teardown } from './cleanup.js';
import type { RunningServer } from './running-server.js';

const ADS = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';
const passThrough = (bytes: Buffer): Buffer => bytes;

/** Somebody who asks for all client configurations of one type, and takes whatever comes. */
export class ConfigSubscriber {
  readonly #typeUrl: string;
  readonly #client: Client;
  readonly #call: ClientDuplexStream<Buffer, Buffer>;
  /** What each response had, by name. */
  readonly responses: ReadonlyMap<string, Buffer>[] = [];

  constructor(t: Teardown, server: RunningServer, node: NodeIdentity, typeUrl: string) {
    this.#typeUrl = typeUrl;
    this.#client = new Client(`127.0.0.1:${server.grpcPort}`, credentials.createInsecure(), {
      'grpc.use_local_subchannel_pool': 1,
    });
    this.#call = this.#client.makeBidiStreamRequest(ADS, passThrough, passThrough);
    this.#call.on('error', () => undefined);
    this.#call.on('data', (message: Buffer) => this.#receive(message));
    this.#call.write(encodeDiscoveryRequest({ typeUrl, version: '', nonce: '', node: encodeNode(node) }));
    t.teardown(() => {
      this.#call.cancel();
      this.#client.close();
    });
  }

  /** What the last response had. */
  get current(): ReadonlyMap<string, Buffer> {
    return this.responses.at(-1) ?? new Map();
  }

  /** Waits for so many responses since the start. */
  async received(count: number): Promise<void> {
    await eventually(`response ${count} of ${this.#typeUrl}`, () => this.responses.length >= count);
  }

  #receive(message: Buffer): void {
    const { version, nonce, resources } = decodeDiscoveryResponse(message);
    this.responses.push(
      new Map(
        resources.map((packed) => {
          const { name, bytes } = unpackResource(packed, this.#typeUrl);
          return [name, bytes];
        }),
      ),
    );
    this.#call.write(encodeDiscoveryRequest({ typeUrl: this.#typeUrl, version, nonce }));
  }
}
