import { AdsStream } from '../client/ads-stream.js';
import { DeltaSidecar } from '../client/delta-sidecar.js';
import { Sidecar, type SidecarClient } from '../client/sidecar.js';
import type { MeshService } from '../mesh/mesh-shape.js';
import { encodeNode, type NodeIdentity } from '../wire/node-message.js';

/** How long clients stay, in turns: some leave before they are answered, some when they have everything. */
const STAYS_MS = [0, 20, 100, 500, 3000] as const;
/** One in so many polls over REST, once. */
const REST_EVERY = 4;
const REST_TIMEOUT_MS = 60_000;

export interface PassingClientsOptions {
  readonly services: readonly MeshService[];
  /** host:port of xDS over gRPC, and over REST. */
  readonly grpcAddress: string;
  readonly httpAddress: string;
}

/** Clients that connect and vanish: each has an identity that no other had, and ends its connection without a word. */
export class PassingClients {
  readonly #options: PassingClientsOptions;
  readonly #streams = new Set<AdsStream>();
  readonly #polls = new Set<Promise<void>>();
  readonly #failures: string[] = [];
  #count = 0;

  constructor(options: PassingClientsOptions) {
    this.#options = options;
  }

  /** Clients so far. */
  get count(): number {
    return this.#count;
  }

  /** Ends that the server made, and answers that it refused. */
  get failures(): readonly string[] {
    return this.#failures;
  }

  /** Connects another client. */
  next(): void {
    this.#count += 1;
    const identity = this.#identity(this.#count);
    if (this.#count % REST_EVERY === 0) this.#poll(identity);
    else this.#connect(identity);
  }

  /** Ends all of them. */
  async settle(): Promise<void> {
    for (const stream of this.#streams) stream.close();
    this.#streams.clear();
    await Promise.all(this.#polls);
  }

  #connect(identity: NodeIdentity): void {
    const variant = this.#count % 2 === 0 ? 'delta' : 'sotw';
    const stream = new AdsStream(
      this.#options.grpcAddress,
      {
        message: (bytes) => sidecar.receive(bytes),
        failed: (reason) => {
          this.#streams.delete(stream);
          this.#fail(identity, reason);
        },
      },
      variant,
    );
    const create = variant === 'delta' ? DeltaSidecar : Sidecar;
    const sidecar: SidecarClient = new create(encodeNode(identity), {
      send: (request) => stream.send(request),
      received: () => undefined,
      completed: () => undefined,
    });
    this.#streams.add(stream);
    sidecar.beginPhase({ kind: 'churn' });
    sidecar.start();
    setTimeout(
      () => {
        stream.close();
        this.#streams.delete(stream);
      },
      STAYS_MS[this.#count % STAYS_MS.length],
    );
  }

  #poll({ id, cluster, metadata }: NodeIdentity): void {
    const poll = fetch(`http://${this.#options.httpAddress}/v3/discovery:clusters`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        connection: 'close',
        // Without it the server answers 503 when the resources take 0.9 s, which happens on a busy machine.
        'x-envoy-expected-rq-timeout-ms': String(REST_TIMEOUT_MS),
      },
      body: JSON.stringify({ node: { id, cluster, metadata } }),
      signal: AbortSignal.timeout(REST_TIMEOUT_MS),
    })
      .then(async (response) => {
        const body = await response.text();
        if (response.status !== 200) throw new Error(`status ${response.status}: ${body}`);
      })
      .catch((error: Error) => this.#fail({ id }, error.message))
      .finally(() => this.#polls.delete(poll));
    this.#polls.add(poll);
  }

  #fail({ id }: Pick<NodeIdentity, 'id'>, reason: string): void {
    this.#failures.push(`${id}: ${reason}`);
  }

  #identity(number: number): NodeIdentity {
    const { services } = this.#options;
    const service = services[number % services.length];
    const address = service?.endpoints[0]?.address;
    if (service === undefined || address === undefined) throw new RangeError('Clients need a mesh with endpoints.');
    const { namespace } = service;
    return {
      id: `sidecar~${address}~passing-${number}.${namespace}~${namespace}.svc.cluster.local`,
      cluster: `${service.name}.${namespace}`,
      metadata: { NAMESPACE: namespace, INSTANCE_IPS: address, LABELS: { app: service.name, pass: `${number}` } },
    };
  }
}
