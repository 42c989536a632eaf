import type { ObjectKey } from '../../config/object.js';
import type { ObjectChange } from '../../model/object-change.js';
import type { FileProblem } from './file-report.js';
import { diffObjects, mergeFiles } from './merge-files.js';
import type { DocumentMemory, DocumentReader, FileContent, LocatedObject } from './read-documents.js';

/** What is known of one file. */
interface FileState {
  /** Of the content that was last looked at, good or bad. */
  readonly identity: string;
  readonly memory: DocumentMemory;
  /** Objects of its last good content. */
  readonly good: readonly LocatedObject[];
  /** Why its present content is not served; empty when it is. */
  readonly problems: readonly FileProblem[];
  /** Objects of a kind or version that is most likely misspelt. */
  readonly mistaken: readonly FileProblem[];
}

/** The folder's content as it is served: every file at its last good state. Does no I/O. */
export interface FolderState {
  files(): readonly string[];
  identityOf(file: string): string | undefined;
  /** Takes a file's new content; it counts as a whole or, when anything in it is wrong, not at all. */
  accept(file: string, identity: string, text: string): FileContent;
  /** Notes that a file's new content cannot be had, which leaves its last good state. */
  refuse(problem: FileProblem, identity: string): void;
  remove(file: string): void;
  /** Merges what changed since the last call: the changes to tell, and all problems at present. */
  settle(): {
    readonly changes: readonly ObjectChange[];
    readonly problems: readonly FileProblem[];
    /** Objects of a kind or version that is most likely misspelt, in files that are served otherwise. */
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
