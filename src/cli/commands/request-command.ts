import { request as httpRequest } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { Command, Option } from 'clipanion';
import type { CommandContext, DiscoveryEnvironment } from '../command-context.js';
import { parseCommonFlags } from '../parse-options.js';
import { ReportedCommand } from './reported-command.js';

const TIMEOUT_MS = 60_000;

/** `navigator-discovery request <method> <path> [<body>]` (SPEC 4.3, BEHAVIOUR 2). */
export class RequestCommand extends ReportedCommand<CommandContext<DiscoveryEnvironment>> {
  static override paths = [['request']];
  static override usage = Command.Usage({ description: 'Makes an HTTP request to the metrics/debug endpoint.' });

  readonly operands = Option.Rest();

  protected override async perform(): Promise<void> {
    parseCommonFlags(this.context.flags);
    const [method, path, body = '', ...surplus] = this.operands;
    if (method === undefined || path === undefined || surplus.length > 0) {
      throw new Error(`request needs <method> <path> [<body>], not ${this.operands.length} arguments`);
    }
    const answer = await this.send(method.toUpperCase(), path, body);
    // 404 is an answer like any other: BEHAVIOUR 2 excepts it.
    if (answer.status > 399 && answer.status !== 404) {
      throw new Error(`received unsuccessful status code ${answer.status}: ${answer.body}`);
    }
    this.context.stdout.write(`${answer.body}\n`);
  }

  private async send(method: string, path: string, body: string): Promise<{ status: number; body: string }> {
    const { host, port } = this.context.monitoring;
    const target = { host, port, method, path: `/${path.replace(/^\//, '')}`, headers: { connection: 'close' } };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      return await new Promise((resolve, reject) => {
        const outgoing = httpRequest({ ...target, signal }, (response) => {
          readText(response).then((text) => resolve({ status: response.statusCode ?? 0, body: text }), reject);
        });
        outgoing.on('error', reject);
        outgoing.end(body);
      });
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`${method} http://${host}:${port}${target.path} failed: ${reason}`, { cause });
    }
  }
}
