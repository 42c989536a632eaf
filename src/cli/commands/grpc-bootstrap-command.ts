import { Command } from 'clipanion';
import type { CertificateFiles } from '../../capture/grpc-bootstrap.js';
import { flagSource, parseCommonFlags, variableSource } from '../parse-options.js';
import type { CommandContext, DiscoveryEnvironment } from '../program.js';
import {
  type GrpcBootstrapFlags,
  grpcBootstrapFlags,
  grpcBootstrapVariables,
} from '../settings/grpc-bootstrap-settings.js';
import { readSettings } from '../settings/read-settings.js';
import { SettingError } from '../settings/setting-error.js';
import { ReportedCommand } from './reported-command.js';

/** `navigator-discovery grpc-bootstrap [flags]`. The init container of a pod without a proxy runs it. */
export class GrpcBootstrapCommand extends ReportedCommand<CommandContext<DiscoveryEnvironment>> {
  static override paths = [['grpc-bootstrap']];
  static override usage = Command.Usage({
    description: 'Writes the bootstrap file of a gRPC library that is a client or server of the mesh without a proxy.',
  });

  protected override async perform(): Promise<void> {
    parseCommonFlags(this.context.flags);
    const { output, discoveryRoots, ...flags } = readSettings(
      grpcBootstrapFlags,
      flagSource(this.context.flags),
    ).fields;
    const workload = readSettings(grpcBootstrapVariables, variableSource(this.context.env)).fields;
    const certificate = certificateOf(flags);
    const { grpcBootstrap } = await import('../../capture/grpc-bootstrap.js');
    const { discoveryAddress, domain, labels, locality } = flags;
    const ofMesh = { discoveryAddress, domain, labels, locality, serverRoots: discoveryRoots };
    const content = `${JSON.stringify(grpcBootstrap({ ...workload, ...ofMesh, certificate }), undefined, 2)}\n`;
    if (output === '') {
      this.context.stdout.write(content);
      return;
    }
    const { writeFiles } = await import('../../capture/write-files.js');
    await writeFiles([{ path: output, content }]);
    this.context.stdout.write(`wrote ${output}\n`);
  }
}

/** @throws SettingError if one of the three files is missing */
function certificateOf({
  certificate,
  privateKey,
  roots,
}: Pick<GrpcBootstrapFlags, 'certificate' | 'privateKey' | 'roots'>): CertificateFiles | undefined {
  const given = [certificate, privateKey, roots].filter((path) => path !== '');
  if (given.length === 0) return undefined;
  if (given.length === 3) return { certificate, privateKey, roots };
  throw new SettingError('--certificate', 'a certificate needs all of --certificate, --privateKey and --roots');
}
