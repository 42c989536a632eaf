import { type ChannelOptions, Client, credentials, status } from '@grpc/grpc-js';
import type { Clock } from '../base/clock.js';
import { errorText } from '../base/error-text.js';
import { isRecord } from '../base/record.js';
import type { InstanceAnswer, Instances, PageQuestion, SilentInstance } from '../introspection/instances.js';
import { OWN_CONNECTION } from '../net/own-connection.js';
import { passThrough } from '../net/raw-method.js';
import type { TlsMaterial } from '../net/tls-material.js';
import {
  INSTANCE_SERVICE,
  type InstanceMessage,
  MAX_ANSWER_BYTES,
  READ_METHOD,
  readMessage,
  writeMessage,
} from './instance-message.js';

export interface AskInstancesOptions {
  /** The addresses of all instances, at the time of the call. */
  readonly addresses: () => readonly string[];
  /** Certificate of this instance, and the roots that verify the others; undefined until there is one. */
  readonly material: () => TlsMaterial | undefined;
  /** A name that the certificates of all instances have. */
  readonly serverName: string;
  /** `id` of this instance, which asks itself at its own address. */
  readonly ownId: string;
  readonly clock: Clock;
}

/** Asks other instances. */
export interface AskingInstances extends Instances {
  close(): void;
}

const MAX_INSTANCES = 32;
/** A person waits for the page. */
const TIMEOUT_MS = 3_000;
/** An instance that did not answer is not asked again for this long: pages that update themselves would wait each time. */
const SILENT_MS = 10_000;
/** An instance that refuses one page at once may answer the next. */
const REFUSALS: ReadonlySet<unknown> = new Set([status.INVALID_ARGUMENT, status.RESOURCE_EXHAUSTED]);

const isRefusal = (error: unknown): boolean => isRecord(error) && REFUSALS.has(error['code']);

interface Link {
  readonly client: Client;
  /** The material that the client was made with. */
  readonly material: TlsMaterial;
}

export function createAskingInstances(options: AskInstancesOptions): AskingInstances {
  const { clock, ownId } = options;
  const links = new Map<string, Link>();
  const silent = new Map<string, { readonly reason: string; readonly untilMs: number }>();
  /** The address of this instance, once it has answered itself. */
  let ownAddress: string | undefined;

  const clientOf = (address: string, material: TlsMaterial): Client => {
    const known = links.get(address);
    if (known?.material === material) return known.client;
    known?.client.close();
    const client = openClient(address, material, options.serverName);
    links.set(address, { client, material });
    return client;
  };
  const closeOthers = (addresses: readonly string[]): void => {
    for (const [address, { client }] of links) {
      if (addresses.includes(address)) continue;
      client.close();
      links.delete(address);
    }
  };
  const askOne = async (address: string, question: PageQuestion): Promise<InstanceAnswer | SilentInstance> => {
    const past = silent.get(address);
    if (past !== undefined && past.untilMs > clock.monotonicMs()) return { name: address, reason: past.reason };
    silent.delete(address);
    try {
      const material = options.material();
      if (material === undefined) throw new Error('this instance has no certificate of the mesh (ENABLE_CA_SERVER)');
      const { id, name, status, content } = await call(clientOf(address, material), question);
      if (id === ownId) ownAddress = address;
      return { name: name === '' ? address : name, status, content };
    } catch (error) {
      const reason = errorText(error);
      if (!isRefusal(error)) silent.set(address, { reason, untilMs: clock.monotonicMs() + SILENT_MS });
      return { name: address, reason };
    }
  };

  return {
    ask: async (question) => {
      const addresses = options.addresses();
      closeOthers(addresses);
      if (ownAddress !== undefined && !addresses.includes(ownAddress)) ownAddress = undefined;
      const possible = addresses.filter((address) => address !== ownAddress);
      const asked = possible.slice(0, MAX_INSTANCES);
      const results = await Promise.all(
        asked.map(async (address) => ({ address, result: await askOne(address, question) })),
      );
      const others = results.filter(({ address }) => address !== ownAddress).map(({ result }) => result);
      const left = possible.length - asked.length;
      return {
        answers: others.filter((each) => 'content' in each),
        silent: [
          ...others.filter((each) => 'reason' in each),
          ...(left > 0 ? [{ name: `${left} more instances`, reason: `at most ${MAX_INSTANCES} are asked` }] : []),
        ],
      };
    },
    close: () => closeOthers([]),
  };
}

function openClient(address: string, { certificate, clientRoots }: TlsMaterial, serverName: string): Client {
  const channel: ChannelOptions = {
    ...OWN_CONNECTION,
    'grpc.enable_retries': 0,
    'grpc.max_receive_message_length': MAX_ANSWER_BYTES,
    'grpc.ssl_target_name_override': serverName,
  };
  const tls = credentials.createSsl(
    Buffer.from(clientRoots.join('')),
    Buffer.from(certificate.privateKey),
    Buffer.from(certificate.certificateChain),
  );
  return new Client(address, tls, channel);
}

/** @throws Error if the instance refuses, or does not answer in time */
function call(client: Client, question: PageQuestion): Promise<InstanceMessage> {
  return new Promise((resolve, reject) => {
    const path = `/${INSTANCE_SERVICE}/${READ_METHOD}`;
    const stream = client.makeBidiStreamRequest<Buffer, Buffer>(path, passThrough, passThrough, {
      deadline: Date.now() + TIMEOUT_MS,
    });
    stream.on('data', (bytes: Buffer) => {
      const message = readMessage(bytes);
      if (message === undefined) reject(new Error('the answer is no page'));
      else resolve(message);
      stream.cancel();
    });
    stream.on('error', reject);
    stream.on('end', () => reject(new Error('the instance ended the call without an answer')));
    stream.write(writeMessage(question));
  });
}
