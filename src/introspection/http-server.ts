import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../base/clock.js';
import type { HttpLimits } from '../net/connection-table.js';
import { createHttpConnections, type HttpTimeouts, httpTimeouts } from '../net/http-connections.js';
import type { HttpRefusal } from '../net/http-intake.js';
import { type ListenAddress, ListenError, parseListenAddress } from '../net/listen-address.js';
import type { Logger } from '../telemetry/logger.js';

export interface HttpServerOptions {
  /** Parsed, or a text for `parseListenAddress`. */
  readonly address: ListenAddress | string;
  /** The flag of the address, for errors: `--httpAddr`, `--monitoringAddr`. */
  readonly setting: string;
  /** Usually the app of `createHttpApp`. Several servers may share it. */
  readonly app: RequestListener;
  /** Called when the server stops, to end responses that have no end of their own. */
  readonly onStop?: () => void;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly timeouts?: Partial<HttpTimeouts>;
  readonly limits?: Partial<HttpLimits>;
  /** Called for every request and connection that a limit ended. */
  readonly onRefused?: (refusal: HttpRefusal) => void;
}

export interface HttpServer {
  /**
   * Opens the listener. Returns its address, with the actual port if the port was 0.
   *
   * @throws ListenError if the address cannot be opened.
   */
  start(): Promise<ListenAddress>;
  /** Stops accepting connections, waits for running requests for `graceMs`, then closes the remaining connections. */
  stop(): Promise<void>;
}

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { setting, logger, clock } = options;
  const address = typeof options.address === 'string' ? parseListenAddress(options.address) : options.address;
  const timeouts = httpTimeouts(options.timeouts);
  const { server, drain } = createHttpConnections(options.app, { ...options, timeouts });
  let stopping: Promise<void> | undefined;

  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    options.onStop?.();
    drain();
    const cancel = clock.schedule(timeouts.graceMs, () => {
      logger.warn({ setting, graceMs: timeouts.graceMs }, 'http requests cut off at shutdown');
      server.closeAllConnections();
    });
    await closed;
    cancel();
  };

  return {
    start: async () => {
      const bound = await listen(server, address, setting);
      server.on('error', (err) => logger.error({ err, setting }, 'http listener failed'));
      return bound;
    },
    stop: () => {
      stopping ??= server.listening ? close() : Promise.resolve();
      return stopping;
    },
  };
}

function listen(server: Server, address: ListenAddress, setting: string): Promise<ListenAddress> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void => reject(new ListenError(setting, address, cause));
    server.once('error', fail);
    server.listen({ port: address.port, ...(address.host === '' ? {} : { host: address.host }) }, () => {
      server.off('error', fail);
      const bound = server.address() as AddressInfo;
      resolve({ host: bound.address, port: bound.port });
    });
  });
}
