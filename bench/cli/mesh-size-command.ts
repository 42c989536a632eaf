import { Command, Option } from 'clipanion';
import type { RawMeshFlags } from './bench-options.js';

/** The size of the mesh, which several commands take. */
export abstract class MeshSizeCommand extends Command {
  readonly services = Option.String('--services', '1000', { description: 'services of the mesh, 10 or more (1000)' });
  readonly endpoints = Option.String('--endpoints', '10', { description: 'endpoints of each service (10)' });
  readonly namespaces = Option.String('--namespaces', '10', { description: 'namespaces they are spread over (10)' });

  protected meshFlags(): RawMeshFlags {
    return { services: this.services, endpoints: this.endpoints, namespaces: this.namespaces };
  }
}
