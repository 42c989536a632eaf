import type { ObjectKey } from '../../config/object.js';
import type { ObjectChange } from '../../model/object-change.js';
import type { FileProblem } from './file-report.js';
import { diffObjects, mergeFiles } from './merge-files.js';
import type { DocumentMemory, DocumentReader, FileContent, LocatedObject } from './read-documents.js';

/** The state of one file. */
interface FileState {
  /** Identity of the content that was read last, valid or not. */
  readonly identity: string;
  readonly memory: DocumentMemory;
  /** Objects of the last valid content. */
  readonly good: readonly LocatedObject[];
  /** Why the present content is not served; empty when it is served. */
  readonly problems: readonly FileProblem[];
  /** Objects whose kind or version is probably misspelt. */
  readonly mistaken: readonly FileProblem[];
}

/** The content of the folder that is served: the last valid state of every file. Does no I/O. */
export interface FolderState {
  files(): readonly string[];
  identityOf(file: string): string | undefined;
  /** Takes the new content of a file. With one error in it, the whole content is refused. */
  accept(file: string, identity: string, text: string): FileContent;
  /** Notes that the new content of a file cannot be read: its last valid state stays. */
  refuse(problem: FileProblem, identity: string): void;
  remove(file: string): void;
  /** Merges the files that changed since the last call. Returns the changes and all present problems. */
  settle(): {
    readonly changes: readonly ObjectChange[];
    readonly problems: readonly FileProblem[];
    /** Objects whose kind or version is probably misspelt, in files that are served otherwise. */
    readonly mistaken: readonly FileProblem[];
  };
}

export function createFolderState(reader: DocumentReader): FolderState {
  const states = new Map<string, FileState>();
  let served: ReadonlyMap<ObjectKey, LocatedObject> = new Map();
  const sortedFiles = (): readonly string[] => [...states.keys()].sort();
  return {
    files: sortedFiles,
    identityOf: (file) => states.get(file)?.identity,
    accept: (file, identity, text) => {
      const before = states.get(file);
      const { content, memory } = reader.read(file, text, before?.memory ?? new Map());
      const { objects, problems, mistaken } = content;
      const good = problems.length === 0 ? objects : (before?.good ?? []);
      states.set(file, { identity, memory, problems, mistaken, good });
      return content;
    },
    refuse: (problem, identity) => {
      const before = states.get(problem.file);
      states.set(problem.file, {
        identity,
        memory: before?.memory ?? new Map(),
        good: before?.good ?? [],
        problems: [problem],
        mistaken: [],
      });
    },
    remove: (file) => {
      states.delete(file);
    },
    settle: () => {
      const inOrder = sortedFiles().flatMap((file) => states.get(file) ?? []);
      const merged = mergeFiles(inOrder.map((state) => state.good));
      const changes = diffObjects(served, merged.served);
      served = merged.served;
      const problems = [...inOrder.flatMap((state) => state.problems), ...merged.duplicates];
      return { changes, problems, mistaken: inOrder.flatMap((state) => state.mistaken) };
    },
  };
}
