import { Command, Option } from 'clipanion';
import type { PageServer } from '../../inspect/page-server.js';
import { flagSource, parseCommonFlags } from '../parse-options.js';
import type { CommandContext, DiscoveryEnvironment } from '../program.js';
import { serverPlace } from '../server-place.js';
import { readSettings } from '../settings/read-settings.js';
import { type ServerFlags, serverFlags } from '../settings/server-flags.js';
import type { FlagTable } from '../settings/setting.js';
import { serverText } from '../text-output.js';
import { text } from '../values/scalar-types.js';
import { ReportedCommand } from './reported-command.js';

/** The values of the flags of the `request` command. */
export interface RequestFlags extends ServerFlags {
  /** Name of a pod; empty: there is only one. */
  readonly replica: string;
}

/** The flags of the `request` command. */
export const requestFlags: FlagTable<RequestFlags> = {
  ...serverFlags,
  replica: {
    name: 'replica',
    type: text,
    default: '',
    meaning: 'Pod of the control plane to send the request to, if the cluster has several',
    addition: true,
  },
};

/**
 * `navigator-discovery request <method> <path> [<body>]` (docs/reference/http.md#commands). A status above 399 is a
 * failure.
 */
export class RequestCommand extends ReportedCommand<CommandContext<DiscoveryEnvironment>> {
  static override paths = [['request']];
  static override usage = Command.Usage({
    description:
      'Sends an HTTP request to the monitoring port of a running server, for example: request GET /debug/syncz',
  });

  readonly operands = Option.Rest();

  protected override async perform(): Promise<void> {
    parseCommonFlags(this.context.flags);
    const flags = readSettings(requestFlags, flagSource(this.context.flags)).fields;
    const [method, path, body = '', ...surplus] = this.operands;
    if (method === undefined || path === undefined || surplus.length > 0) {
      throw new Error(`request needs <method> <path> [<body>]; arguments given: ${this.operands.length}`);
    }
    const { openServers } = await import('../../inspect/open-servers.js');
    const opened = await openServers(serverPlace(flags, this.context.env));
    try {
      const server = chooseServer(opened.servers, flags.replica);
      const answer = await server.send({ method: method.toUpperCase(), path: `/${path.replace(/^\//, '')}`, body });
      if (answer.status > 399) {
        throw new Error(`received unsuccessful status code ${answer.status}: ${answer.body}`);
      }
      const { stdout } = this.context;
      stdout.write(`${serverText(stdout, answer.body)}\n`);
    } finally {
      opened.close();
    }
  }
}

function chooseServer(servers: readonly PageServer[], replica: string): PageServer {
  const names = servers.map(({ name }) => name).join(', ');
  const found = servers.filter(({ name }) => replica === '' || name === replica);
  const [server] = found;
  if (server === undefined) throw new Error(`there is no replica ${replica}; the replicas are ${names}`);
  if (found.length > 1) throw new Error(`the cluster has several replicas; name one with --replica: ${names}`);
  return server;
}
