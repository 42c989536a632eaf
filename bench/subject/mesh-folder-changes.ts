import { restoreService, type StagedChange, stageChange } from '../mesh/mesh-folder.js';
import type { MeshService } from '../mesh/mesh-shape.js';
import type { Step } from './subject.js';

export interface MeshFolders {
  /** The folder that the server watches. */
  readonly meshFolder: string;
  /** On the same file system, not watched. */
  readonly stagingFolder: string;
}

/** The change phases of a server that reads a mesh folder: a file is staged before the phase and renamed to start it. */
export class MeshFolderChanges {
  readonly #folders: MeshFolders;
  readonly #originals = new Map<string, MeshService>();
  #before: MeshService | undefined;
  #staged: StagedChange | undefined;

  constructor(folders: MeshFolders) {
    this.#folders = folders;
  }

  /**
   * Stages the change of the step.
   *
   * @throws BenchError if the folder does not have the state before the change
   */
  async prepare(step: Step): Promise<void> {
    if (step.phase === 'first-sync') return;
    this.#staged = await stageChange(this.#folders.meshFolder, this.#folders.stagingFolder, step.change);
    this.#before = step.change.before;
  }

  /** Makes the staged change. */
  async trigger(): Promise<void> {
    const before = this.#before;
    if (before !== undefined && !this.#originals.has(before.name)) this.#originals.set(before.name, before);
    await this.#staged?.apply();
  }

  /** Puts every changed file back as it was. */
  async restore(): Promise<void> {
    for (const service of this.#originals.values()) {
      await restoreService(this.#folders.meshFolder, this.#folders.stagingFolder, service);
    }
    this.#originals.clear();
  }
}
