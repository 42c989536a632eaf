import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { canonicalIpAddress } from '../../base/ip-address.js';
import type { DnsResolver } from '../resolver.js';

/** Answers datagrams. */
export interface UdpListener {
  /** @returns the port, even if the system chose it. @throws the error of the system */
  listen(host: string, port: number): Promise<number>;
  close(): Promise<void>;
}

/** Room for the queries that arrive while other work runs. */
const RECEIVE_BYTES = 4 << 20;
/** Answers that the system has not taken. Beyond it they are dropped, and clients ask again. */
const MAX_UNSENT_BYTES = 8 << 20;

export function createUdpListener(resolver: DnsResolver): UdpListener {
  let socket: Socket | undefined;

  const open = (type: 'udp4' | 'udp6', host: string, port: number): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const opened = createSocket(type);
      opened.once('error', (error) => {
        opened.close();
        reject(error);
      });
      opened.bind({ port, ...(host === '' ? {} : { address: host }) }, () => {
        opened.removeAllListeners('error');
        // An answer that cannot be sent is lost as a datagram in the network is.
        opened.on('error', () => undefined);
        resolve(opened);
      });
    });

  const serve = (opened: Socket): void => {
    const send = (bytes: Buffer | undefined, port: number, address: string): void => {
      if (bytes === undefined || socket !== opened || opened.getSendQueueSize() > MAX_UNSENT_BYTES) return;
      opened.send(bytes, port, address, () => undefined);
    };
    opened.on('message', (bytes, { address, port }) => {
      // No client has this port, and no answer can be sent to it.
      if (port === 0) return;
      const client = canonicalIpAddress(address.split('%')[0] ?? '') ?? address;
      const answer = resolver.answer({ bytes, transport: 'udp', address: client, port });
      if (answer instanceof Promise) answer.then((bytes) => send(bytes, port, address)).catch(() => undefined);
      else send(answer, port, address);
    });
  };

  return {
    listen: async (host, port) => {
      const opened =
        host === ''
          ? // A machine without IPv6 has no such sockets.
            await open('udp6', host, port).catch((error: NodeJS.ErrnoException) =>
              error.code === 'EAFNOSUPPORT' || error.code === 'EADDRNOTAVAIL'
                ? open('udp4', host, port)
                : Promise.reject(error),
            )
          : await open(isIPv6(host) ? 'udp6' : 'udp4', host, port);
      socket = opened;
      try {
        opened.setRecvBufferSize(RECEIVE_BYTES);
      } catch {
        // The system's limit is smaller; its default stays.
      }
      serve(opened);
      return opened.address().port;
    },
    close: () =>
      new Promise((resolve) => {
        const closing = socket;
        socket = undefined;
        if (closing === undefined) resolve();
        else closing.close(() => resolve());
      }),
  };
}
