import { resolve } from 'node:path';
import { meshFiles, writeMeshFolder } from '../mesh/mesh-folder.js';
import { buildMeshServices } from '../mesh/mesh-shape.js';
import type { BenchCommand } from './bench-command.js';
import { MESH_FLAGS, parseMeshSize } from './mesh-flags.js';

/** Writes the mesh, for a server that is measured with --target and --mesh-dir. */
export const meshCommand: BenchCommand = {
  name: 'mesh',
  summary: 'Writes the generated mesh into an empty folder, for a server of your own.',
  details: '',
  operands: ['DIR'],
  flags: MESH_FLAGS,
  async run(flags, output) {
    const size = parseMeshSize(flags);
    const services = buildMeshServices(size);
    const folder = resolve(flags.operands[0] ?? '');
    await writeMeshFolder(folder, meshFiles(services, size));
    output.stdout.write(`Wrote ${services.length} services to ${folder}.\n`);
    return 0;
  },
};
