import { request as httpRequest } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { Command, Option } from 'clipanion';
import { flagSource, parseCommonFlags } from '../parse-options.js';
import type { CommandContext, DiscoveryEnvironment } from '../program.js';
import { readSettings } from '../settings/read-settings.js';
import type { FlagTable } from '../settings/setting.js';
import { remoteAddress } from '../values/text-types.js';
import { ReportedCommand } from './reported-command.js';

/** The values of the flags of the `request` command. */
export interface RequestFlags {
  /** `host:port` */
  readonly address: string;
}

/** The flags of the `request` command. */
export const requestFlags: FlagTable<RequestFlags> = {
  address: {
    name: 'address',
    type: remoteAddress,
    default: '127.0.0.1:15014',
    meaning: 'host:port of the monitoring port of the server',
    addition: true,
  },
};

const TIMEOUT_MS = 60_000;

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
    const { address } = readSettings(requestFlags, flagSource(this.context.flags)).fields;
    const [method, path, body = '', ...surplus] = this.operands;
    if (method === undefined || path === undefined || surplus.length > 0) {
      throw new Error(`request needs <method> <path> [<body>]; arguments given: ${this.operands.length}`);
    }
    const answer = await this.send(address, method.toUpperCase(), path, body);
    if (answer.status > 399) {
      throw new Error(`received unsuccessful status code ${answer.status}: ${answer.body}`);
    }
    this.context.stdout.write(`${answer.body}\n`);
  }

  private async send(
    address: string,
    method: string,
    path: string,
    body: string,
  ): Promise<{ status: number; body: string }> {
    const url = `http://${address}/${path.replace(/^\//, '')}`;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      return await new Promise((resolve, reject) => {
        const outgoing = httpRequest(url, { method, headers: { connection: 'close' }, signal }, (response) => {
          readText(response).then((text) => resolve({ status: response.statusCode ?? 0, body: text }), reject);
        });
        outgoing.on('error', reject);
        outgoing.end(body);
      });
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`${method} ${url} failed: ${reason}`, { cause });
    }
  }
}
