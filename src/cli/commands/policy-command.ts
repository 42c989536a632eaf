import { Command, Option } from 'clipanion';
import { createPaint } from '../../base/paint.js';
import { jsonText } from '../../base/printable.js';
import type { QuotaLimit } from '../../config/policy-server/policy-server-config.js';
import type { MeshReading } from '../../inspect/policy/read-mesh.js';
import { flagSource, parseOptions } from '../parse-options.js';
import type { CommandContext, DiscoveryEnvironment } from '../program.js';
import { namesCluster, serverPlace } from '../server-place.js';
import { type PolicyWhyFlags, policyWhyFlags } from '../settings/policy-why-flags.js';
import { readSettings } from '../settings/read-settings.js';
import { outputStyle } from '../text-output.js';
import { FOUND, ReportedCommand } from './reported-command.js';

/** `navigator-discovery policy why <method> <url> [<file or folder>...]` (docs/commands.md). */
export class PolicyCommand extends ReportedCommand<CommandContext<DiscoveryEnvironment>> {
  static override paths = [['policy']];
  static override usage = Command.Usage({
    description:
      'Explains the answers that a request can get (200, 401, 403, 429, 503), and the objects that decide: of files, of a running server or of a cluster. It sends no request and charges no quota. Exit codes: 0 the request can be answered, 2 it is always refused, 1 the objects cannot be read or the command line is wrong.',
  });

  readonly operands = Option.Rest();

  protected override async perform(): Promise<void> {
    const options = parseOptions(this.context.flags, this.context.env);
    const flags = readSettings(policyWhyFlags, flagSource(this.context.flags)).fields;
    const [verb, method, url, ...files] = this.operands;
    if (verb !== 'why' || method === undefined || url === undefined) {
      throw new Error(
        'policy needs why <method> <url>, for example: policy why GET http://web.shop/books -H "x-api-key: gold"',
      );
    }
    const { readAskedRequest } = await import('../../inspect/policy/asked-request.js');
    const { explainRequest } = await import('../../inspect/policy/explain-request.js');
    const { renderExplanation } = await import('../../inspect/policy/render-explanation.js');
    const { regexLimitsOf, storeSettings } = await import('../../bootstrap/map-options.js');
    const request = readAskedRequest(method, url, flags.headers, flags.from, flags.ip);
    const { discovery, environment, explicit } = options;
    const { mesh, limitFor, language } = await this.readMesh(flags, files, {
      store: storeSettings(options),
      regexLimits: regexLimitsOf(environment),
      expressionLanguage: environment.meshLang,
      meshConfigFile: explicit.has('--meshConfig') ? discovery.meshConfigFile : undefined,
      networksConfigFile: undefined,
    });
    const explanation = explainRequest(mesh, request, limitFor, language);
    const { stdout, env } = this.context;
    const paint = createPaint(outputStyle(stdout, env, flags.color).colors);
    stdout.write(
      flags.output === 'json' ? jsonText(explanation) : renderExplanation(explanation, flags.attributes, paint),
    );
    if (explanation.answers.some(({ certainty, status }) => certainty === 'certain' && status !== 200))
      this.exitCode = FOUND;
  }

  /**
   * The objects, the limits (those of --policyConfig, else those of the server that is asked), and the language of rules (that
   * of the server, else MESH_LANG).
   */
  private async readMesh(flags: PolicyWhyFlags, files: readonly string[], reading: MeshReading) {
    const { limitsIn } = await import('../../inspect/policy/explain-quotas.js');
    const limitFor = limitsIn(await readLimits(flags.policyConfigFile));
    const { meshOfFiles, meshOfServer } = await import('../../inspect/policy/read-mesh.js');
    if (files.length > 0) {
      if (namesCluster(flags) || flags.address !== '') {
        throw new Error(
          'policy why takes either files, or a server or cluster (--address, --cluster, --kubeconfig, --context)',
        );
      }
      return { mesh: await meshOfFiles(files, reading), limitFor, language: reading.expressionLanguage };
    }
    const { openServers } = await import('../../inspect/open-servers.js');
    const { servers, close } = await openServers(serverPlace(flags, this.context.env));
    // All replicas have the same objects.
    const [first] = servers;
    if (first === undefined) throw new Error('there is no server');
    try {
      const { factsOfServer } = await import('../../inspect/policy/facts-of-server.js');
      const [, method = '', url = ''] = this.operands;
      const facts = await factsOfServer(first, { ...flags, method, url });
      const language = facts.language ?? reading.expressionLanguage;
      const mesh = await meshOfServer(first, { ...reading, expressionLanguage: language });
      return { mesh, limitFor: flags.policyConfigFile === '' ? facts.limitFor : limitFor, language };
    } finally {
      close();
    }
  }
}

/** The limits of the policy server's file; undefined without one. */
async function readLimits(file: string): Promise<readonly QuotaLimit[] | undefined> {
  if (file === '') return undefined;
  const { readSettingsFile } = await import('../../analyze/read-settings.js');
  const { createPolicyServerConfigReader } = await import('../../config/policy-server/read-policy-server-config.js');
  const { createSchemaCompiler } = await import('../../config/schema/schema-reader.js');
  const { createYamlParser } = await import('../../config/yaml/parse-document.js');
  const reader = createPolicyServerConfigReader(createSchemaCompiler());
  return (await readSettingsFile('--policyConfig', file, reader, createYamlParser())).quotas;
}
