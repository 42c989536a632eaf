import type { MeshChange } from '../mesh/mesh-change.js';
import { replaceFile, type StagedChange, stageChange } from '../mesh/mesh-folder.js';
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
  readonly #originals = new Map<string, string>();
  #change: MeshChange | undefined;
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
    if (!('change' in step)) return;
    this.#staged = await stageChange(this.#folders.meshFolder, this.#folders.stagingFolder, step.change);
    this.#change = step.change;
  }

  /** Makes the staged change. */
  async trigger(): Promise<void> {
    const change = this.#change;
    if (change !== undefined && !this.#originals.has(change.path)) this.#originals.set(change.path, change.before);
    await this.#staged?.apply();
  }

  /** Puts every changed file back as it was. */
  async restore(): Promise<void> {
    for (const [path, content] of this.#originals) {
      await replaceFile(this.#folders.meshFolder, this.#folders.stagingFolder, path, content);
    }
    this.#originals.clear();
  }
}
