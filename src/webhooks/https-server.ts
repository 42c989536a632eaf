import type { RequestListener } from 'node:http';
import type { Clock } from '../base/clock.js';
import type { HttpLimits } from '../net/connection-table.js';
import { createHttpConnections, type HttpTimeouts, httpTimeouts } from '../net/http-connections.js';
import type { HttpRefusal } from '../net/http-intake.js';
import { type ListenAddress, parseListenAddress } from '../net/listen-address.js';
import { ListenError } from '../net/listen-error.js';
import { createTlsListener } from '../net/tls-listener.js';
import type { TlsMaterialSource } from '../net/tls-material.js';
import { createLimitedLog } from '../telemetry/limited-log.js';
import type { Logger } from '../telemetry/logger.js';

export interface HttpsServerOptions {
  /** Of `--httpsAddr`; parsed, or as `parseListenAddress` reads it. */
  readonly address: ListenAddress | string;
  /** What is presented; a change of it counts for the connections made afterwards. */
  readonly material: TlsMaterialSource;
  /** Usually of `createWebhookApp`. */
  readonly app: RequestListener;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly timeouts?: Partial<HttpTimeouts>;
  readonly limits?: Partial<HttpLimits>;
  /** Told of every request and connection that a limit ended. */
  readonly onRefused?: (refusal: HttpRefusal) => void;
}

export interface HttpsServer {
  /**
   * Opens the listener and says where, with the port that the system chose for port 0.
   *
   * @throws ListenError when the address cannot be had.
   */
  start(): Promise<ListenAddress>;
  /** Takes no new connections, lets running requests finish, and cuts off those that do not in time. */
  stop(): Promise<void>;
}

/** Longer than API servers keep idle connections, so that they are the ones to close them, never while they ask. */
const KEEP_ALIVE_MS = 120_000;

/** The HTTPS listener of the webhooks, :15017 (BEHAVIOUR 2). A client certificate is welcome, and never needed. */
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
      onUnusableMaterial: (err) => logger.error({ err }, 'https certificate cannot be used; the one before stays'),
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
      // It never listens itself; its checks of slow requests begin with this event.
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
