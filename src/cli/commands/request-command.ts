import { request as httpRequest } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { Command, Option } from 'clipanion';
import type { CommandContext, DiscoveryEnvironment } from '../command-context.js';
import { flagSource, parseCommonFlags } from '../parse-options.js';
import { readSettings } from '../settings/read-settings.js';
import { requestFlags } from '../settings/request-flags.js';
import { ReportedCommand } from './reported-command.js';

const TIMEOUT_MS = 60_000;

/** `navigator-discovery request <method> <path> [<body>]` (SPEC 4.3). Any status above 399 is a failure, 404 too. */
export class RequestCommand extends ReportedCommand<CommandContext<DiscoveryEnvironment>> {
  static override paths = [['request']];
  static override usage = Command.Usage({ description: 'Makes an HTTP request to the metrics/debug endpoint.' });

  readonly operands = Option.Rest();

  protected override async perform(): Promise<void> {
    parseCommonFlags(this.context.flags);
    const { address } = readSettings(requestFlags, flagSource(this.context.flags)).fields;
    const [method, path, body = '', ...surplus] = this.operands;
    if (method === undefined || path === undefined || surplus.length > 0) {
      throw new Error(`request needs <method> <path> [<body>], not ${this.operands.length} arguments`);
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
