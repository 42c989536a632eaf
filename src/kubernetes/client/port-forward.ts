import { Duplex } from 'node:stream';
import { ApiError } from './api-error.js';
import type { ApiAccess } from './api-sender.js';
import { parseOrNothing, readWhole } from './http-exchange.js';

/** A port on the loopback interface of a pod. */
export interface PodPort {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

/** Frames begin with the number of their channel; the first frame of each channel has only the port. */
const PROTOCOL = 'v4.channel.k8s.io';
const DATA = 0;
const ERROR = 1;
const PORT_BYTES = 2;
const MAX_FRAME_BYTES = 4 * 1024 * 1024;
const MAX_REFUSAL_BYTES = 64 * 1024;

/**
 * Opens a connection to a port of a pod through the API server (`pods/portforward`), as `kubectl port-forward` does.
 * The process in the pod sees a caller on its own loopback interface; the API server decides by RBAC who may connect.
 *
 * @returns a stream that is open; it fails if the pod does not listen on the port
 * @throws ApiError if the API server refuses, or an error of the network
 */
export async function openPortForward(access: ApiAccess, { namespace, pod, port }: PodPort): Promise<Duplex> {
  // Loaded here, because only commands that reach into a cluster need it.
  const { WebSocket } = await import('ws');
  const url = new URL(
    `${access.server}/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/portforward`,
  );
  url.searchParams.set('ports', String(port));
  url.protocol = url.protocol === 'http:' ? 'ws:' : 'wss:';
  const options = await access.requestOptions();
  const socket = new WebSocket(url, [PROTOCOL], { ...options, maxPayload: MAX_FRAME_BYTES });
  const stream = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => socket.send(Buffer.concat([Buffer.of(DATA), chunk]), done),
    // The protocol cannot close one direction only.
    final: (done) => done(),
    destroy: (error, done) => {
      socket.terminate();
      done(error);
    },
  });
  const started = new Set<number>();
  socket.on('message', (frame) => {
    const channel = frame[0] ?? DATA;
    const skipped = 1 + (started.has(channel) ? 0 : PORT_BYTES);
    started.add(channel);
    const content = frame.subarray(skipped);
    if (content.length === 0) return;
    if (channel === DATA) stream.push(content);
    else if (channel === ERROR) stream.destroy(new Error(content.toString('utf8').trim()));
  });
  socket.on('close', () => stream.push(null));
  await new Promise<void>((resolve, reject) => {
    socket.on('open', resolve);
    socket.on('error', (error) => {
      reject(error);
      stream.destroy(error);
    });
    socket.on('unexpected-response', (_request, response) => {
      readWhole(response, MAX_REFUSAL_BYTES)
        .then((text) => reject(new ApiError(response.statusCode ?? 0, parseOrNothing(text))), reject)
        .finally(() => socket.terminate());
    });
  });
  return stream;
}
