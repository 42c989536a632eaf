import { resolve } from 'node:path';
import { Command, Option } from 'clipanion';
import { writeMeshFolder } from '../mesh/mesh-folder.js';
import { buildMeshServices } from '../mesh/mesh-shape.js';
import { BenchError } from './bench-error.js';
import { parseMeshSize } from './bench-options.js';
import { MeshSizeCommand } from './mesh-size-command.js';

/** `npm run bench -- mesh DIR`: writes the mesh, for a server that is measured with --target and --mesh-dir. */
export class MeshCommand extends MeshSizeCommand {
  static override paths = [['mesh']];
  static override usage = Command.Usage({
    description: 'Writes the generated mesh into an empty folder, for a server of your own.',
    examples: [['Measure a server that is started by hand', 'npm run bench -- mesh /tmp/mesh']],
  });

  readonly folder = Option.String({ name: 'DIR', required: true });

  override async execute(): Promise<number> {
    const services = buildMeshServices(parseMeshSize(this.meshFlags()));
    const folder = resolve(this.folder);
    try {
      await writeMeshFolder(folder, services);
    } catch (error) {
      if (!(error instanceof BenchError)) throw error;
      this.context.stderr.write(`bench: ${error.message}\n`);
      return 1;
    }
    this.context.stdout.write(`Wrote ${services.length} services to ${folder}.\n`);
    return 0;
  }
}
