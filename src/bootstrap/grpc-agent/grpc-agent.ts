import type { RequestListener } from 'node:http';
import type { Clock } from '../../base/clock.js';
import { createCertificateCall } from '../../grpc-agent/certificate-call.js';
import { createCertificateFolder } from '../../grpc-agent/certificate-folder.js';
import { createCertificateKeeper } from '../../grpc-agent/certificate-keeper.js';
import { createDiscoveryTunnel } from '../../grpc-agent/discovery-tunnel.js';
import { createHttpServer } from '../../introspection/http-server.js';
import { type ListenAddress, parseListenAddress } from '../../net/listen-address.js';
import type { Logging } from '../../telemetry/logging.js';
import { createDiscoveryCredentials } from '../discovery-credentials.js';
import type { GrpcAgentFlags } from '../options.js';

/** The path of the probes of the kubelet, as the proxy serves it. */
const READY_PATH = '/healthz/ready';
/** Only the kubelet probes. */
const LIMITS = { maxConnections: 64, maxConnectionsPerPeer: 16 };

/** The agent of a pod, wired and not yet running. */
export interface GrpcAgent {
  /** Opens the socket and the address of the probes. The files follow. @throws ListenError, or the error of the system */
  start(): Promise<ListenAddress>;
  /** Nothing waits for the agent. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

/** The composition root of `navigator-discovery grpc-agent`. */
export function createGrpcAgent(flags: GrpcAgentFlags, logging: Logging, clock: Clock): GrpcAgent {
  const keeper = createCertificateKeeper({
    request: createCertificateCall({
      address: flags.discoveryAddress,
      serverName: flags.discoveryServerName,
      credentials: createDiscoveryCredentials({ ...flags, discoveryClientCertFile: '', discoveryClientKeyFile: '' }),
    }),
    write: createCertificateFolder(flags.output),
    rootsFile: flags.discoveryRootCertFile,
    clock,
    logger: logging.scope('pkica'),
    random: Math.random,
  });
  const answer: RequestListener = ({ url }, response) => {
    const current = keeper.current();
    const isReady = current !== undefined && current.notAfter > clock.now();
    const [status, text] =
      url === READY_PATH
        ? isReady
          ? ([200, 'ready\n'] as const)
          : ([503, 'not ready: there is no valid certificate; the log says why\n'] as const)
        : ([404, `only ${READY_PATH} is served here\n`] as const);
    response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
  };
  const server = createHttpServer({
    setting: '--readyAddr',
    address: flags.readyAddr,
    app: answer,
    logger: logging.scope('default'),
    clock,
    limits: LIMITS,
  });
  const tunnel =
    flags.xdsSocket === ''
      ? undefined
      : createDiscoveryTunnel({
          socket: flags.xdsSocket,
          address: parseListenAddress(flags.discoveryAddress),
          serverName: flags.discoveryServerName,
          certificate: () => keeper.current(),
          clock,
          logger: logging.scope('default'),
        });
  return {
    start: async () => {
      await tunnel?.start();
      const address = await server.start();
      await keeper.start();
      logging.scope('default').info({ ready: address, output: flags.output }, 'certificate agent runs');
      return address;
    },
    drain: () => Promise.resolve(),
    stop: async () => {
      await tunnel?.stop();
      await keeper.stop();
      await server.stop();
    },
  };
}
