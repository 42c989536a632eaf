import type { RequestListener } from 'node:http';
import type { Clock } from '../base/clock.js';
import type { HttpLimits } from '../net/connection-table.js';
import { createHttpConnections, type HttpTimeouts, httpTimeouts } from '../net/http-connections.js';
import type { HttpRefusal } from '../net/http-intake.js';
import { type ListenAddress, ListenError, parseListenAddress } from '../net/listen-address.js';
import { createTlsListener } from '../net/tls-listener.js';
import type { TlsMaterialSource } from '../net/tls-material.js';
import { createLimitedLog } from '../telemetry/limited-log.js';
import type { Logger } from '../telemetry/logger.js';

export interface HttpsServerOptions {
  /** The value of `--httpsAddr`; a text is parsed by `parseListenAddress`. */
  readonly address: ListenAddress | string;
  /** Certificate and key. New connections use a changed one. */
  readonly material: TlsMaterialSource;
  /** Usually the result of `createWebhookApp`. */
  readonly app: RequestListener;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly timeouts?: Partial<HttpTimeouts>;
  readonly limits?: Partial<HttpLimits>;
  /** Called for every request and connection that a limit ends. */
  readonly onRefused?: (refusal: HttpRefusal) => void;
}

export interface HttpsServer {
  /**
   * Opens the listener and returns its address, with the port that the system chose for port 0.
   *
   * @throws ListenError if the address cannot be used
   */
  start(): Promise<ListenAddress>;
  /** Accepts no new connections, waits for running requests, and closes those that take longer than `graceMs`. */
  stop(): Promise<void>;
}

/** Longer than API servers keep idle connections, so that the server never closes a connection as a request begins. */
const KEEP_ALIVE_MS = 120_000;

/** The HTTPS listener of the webhooks, :15017. Client certificates are optional. */
export function createHttpsServer(options: HttpsServerOptions): HttpsServer {
  const { material, logger, clock } = options;
  const address = typeof options.address === 'string' ? parseListenAddress(options.address) : options.address;
  const timeouts = httpTimeouts({ keepAliveMs: KEEP_ALIVE_MS, ...options.timeouts });
  const limitedLog = createLimitedLog(logger, clock);
  const { server, drain } = createHttpConnections(options.app, { ...options, timeouts });
  const listener = createTlsListener(
    {
      material,
      clientCertificates: 'noted',
      alpn: ['http/1.1'],
      clock,
      onRefused: (refusal) => limitedLog.warn({ ...refusal }, 'https connection refused'),
      onUnusableMaterial: (err) => logger.error({ err }, 'https certificate cannot be used, the previous one stays'),
    },
    (socket) => server.emit('connection', socket),
  );

  let stopping: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    const closed = listener.close();
    drain();
    const cancel = clock.schedule(timeouts.graceMs, () => {
      logger.warn({ graceMs: timeouts.graceMs }, 'https requests cut off at shutdown');
      listener.hangUp();
    });
    await closed;
    cancel();
    server.close();
  };

  return {
    start: async () => {
      // The HTTP server does not listen itself, but this event starts its checks of slow requests.
      server.emit('listening');
      const port = await listener.listen(address.host, address.port).catch((cause: NodeJS.ErrnoException) => {
        throw new ListenError('--httpsAddr', address, cause);
      });
      return { host: address.host, port };
    },
    stop: () => {
      stopping ??= close();
      return stopping;
    },
  };
}
