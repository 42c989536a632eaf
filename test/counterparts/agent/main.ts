// Runs the apps and clients of a namespace. The parent process sends calls over IPC.
import { errorText } from '../../../src/base/error-text.js';
import type { AgentArgument, AgentCallName, AgentCalls, AgentReply, AgentRequest } from './calls.js';
import { type DnsServer, serveDns } from './dns-server.js';
import { callGrpcEcho, serveGrpcEcho } from './grpc-echo.js';
import { createHeldConnections } from './held-connections.js';
import { serveHttpEcho } from './http-echo.js';
import { requestHttp } from './http-request.js';
import { type Load, startLoad } from './load.js';
import { requestMany } from './many-requests.js';
import { type Relay, serveRelay } from './relay.js';
import type { RunningServer } from './running-server.js';
import { serveGreeter, serveTcpEcho } from './tcp-echo.js';
import { exchangeTcp } from './tcp-exchange.js';
import { exchangeTls, serveTlsEcho } from './tls-echo.js';

function createCalls(): AgentCalls {
  const servers = new Map<number, RunningServer>();
  const relays = new Map<number, Relay>();
  const held = createHeldConnections();
  let dns: DnsServer | undefined;
  let load: Load | undefined;
  const keep = async (starting: Promise<RunningServer>): Promise<number> => {
    const server = await starting;
    servers.set(server.port, server);
    return server.port;
  };
  const currentLoad = (): Load => {
    if (load === undefined) throw new Error('no load was started');
    return load;
  };
  return {
    serveHttp: (options) => keep(serveHttpEcho(options)),
    serveTcp: (options) => keep(serveTcpEcho(options)),
    serveGreeter: (options) => keep(serveGreeter(options)),
    serveGrpc: (options) => keep(serveGrpcEcho(options)),
    serveTls: (options) => keep(serveTlsEcho(options)),
    async serveDns(options) {
      if (dns === undefined) dns = await serveDns(options);
      else dns.replaceRecords(options.records);
    },
    async stopServing(port) {
      const server = servers.get(port);
      if (server === undefined) throw new Error(`nothing serves port ${port}`);
      servers.delete(port);
      await server.stop();
    },
    requestHttp: (request) => requestHttp(request),
    requestMany,
    exchangeTcp,
    exchangeTls,
    holdTcp: held.open,
    sayOnHeldTcp: held.say,
    releaseTcp: held.release,
    async serveRelay(options) {
      const relay = await serveRelay(options);
      relays.set(relay.port, relay);
      return keep(Promise.resolve(relay));
    },
    async readRelay(port) {
      const relay = relays.get(port);
      if (relay === undefined) throw new Error(`no relay on port ${port}`);
      return relay.calls();
    },
    callGrpc: callGrpcEcho,
    async startLoad(options) {
      if (load !== undefined) throw new Error('a load is already running');
      load = startLoad(options);
    },
    readLoad: async () => currentLoad().read(),
    async stopLoad() {
      const report = await currentLoad().stop();
      load = undefined;
      return report;
    },
  };
}

const calls = createCalls();

async function answer<Name extends AgentCallName>(name: Name, argument: unknown): Promise<unknown> {
  const call = calls[name] as (argument: AgentArgument<Name>) => Promise<unknown>;
  return call(argument as AgentArgument<Name>);
}

function reply(message: AgentReply): void {
  process.send?.(message);
}

process.on('message', ({ id, name, argument }: AgentRequest) => {
  answer(name, argument).then(
    (result) => reply({ id, result }),
    (error: unknown) => reply({ id, error: errorText(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
