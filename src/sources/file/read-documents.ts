import { hash } from 'node:crypto';
import type { KindRegistry } from '../../config/kinds.js';
import { keyOf, type MeshObject, type ObjectKey, objectKey } from '../../config/object.js';
import { formatViolation, joinPath, type Subject, type Violation } from '../../config/violation.js';
import { createLineLocator } from '../../config/yaml/line-locator.js';
import type { YamlParser } from '../../config/yaml/parse-document.js';
import { splitDocuments } from '../../config/yaml/split-documents.js';
import { expandList } from './expand-list.js';
import type { FileLocation, FileProblem } from './file-report.js';

/** An object and its place in the file. */
export interface LocatedObject {
  readonly key: ObjectKey;
  readonly object: MeshObject;
  readonly location: FileLocation;
}

/** A skipped object of a kind that the mesh does not need: of Kubernetes or another product. */
export interface SkippedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly location: FileLocation;
}

export interface FileContent {
  readonly objects: readonly LocatedObject[];
  readonly problems: readonly FileProblem[];
  /** Objects whose kind or version is probably misspelt. They are left out, and the rest of the file is served. */
  readonly mistaken: readonly FileProblem[];
  readonly skipped: readonly SkippedKind[];
}

/** A problem without its file; lines count from 0 at the start of the document. */
type DocumentProblem = Omit<FileProblem, 'file' | 'document' | 'line'> & { readonly lineOffset: number };

/** The result of one document's text, without its place. It is kept by content, so each document is parsed once. */
interface DocumentContent {
  readonly objects: readonly MeshObject[];
  readonly problems: readonly DocumentProblem[];
  readonly mistaken: readonly DocumentProblem[];
  readonly skipped: readonly Omit<SkippedKind, 'location'>[];
}

export type DocumentMemory = ReadonlyMap<string, DocumentContent>;

export interface DocumentReader {
  /**
   * Reads all documents of a file. A document with unchanged content is not parsed again and gives the same objects.
   */
  read(
    file: string,
    text: string,
    memory: DocumentMemory,
  ): { readonly content: FileContent; readonly memory: DocumentMemory };
}

export interface DocumentReaderOptions {
  readonly kinds: KindRegistry;
  readonly parse: YamlParser;
  readonly defaultNamespace: string;
}

export function createDocumentReader(options: DocumentReaderOptions): DocumentReader {
  return {
    read: (file, text, memory) => {
      const next = new Map<string, DocumentContent>();
      const objects: LocatedObject[] = [];
      const problems: FileProblem[] = [];
      const mistaken: FileProblem[] = [];
      const skipped: SkippedKind[] = [];
      for (const document of splitDocuments(text)) {
        const digest = hash('sha1', document.text, 'base64');
        const content = next.get(digest) ?? memory.get(digest) ?? readDocument(document.text, options);
        next.set(digest, content);
        const location = { file, document: document.index, line: document.line };
        for (const object of content.objects) objects.push({ key: keyOf(object), object, location });
        const placed = ({ lineOffset, ...problem }: DocumentProblem): FileProblem => ({
          ...problem,
          ...location,
          line: document.line + lineOffset,
        });
        problems.push(...content.problems.map(placed));
        mistaken.push(...content.mistaken.map(placed));
        for (const kind of content.skipped) skipped.push({ ...kind, location });
      }
      return { content: { objects, problems, mistaken, skipped }, memory: next };
    },
  };
}

function readDocument(text: string, { kinds, parse, defaultNamespace }: DocumentReaderOptions): DocumentContent {
  const parsed = parse(text);
  if (parsed.type === 'error') {
    const place = parsed.column === undefined ? '' : ` (column ${parsed.column})`;
    const reason = `is not valid YAML or JSON: ${parsed.message}${place}`;
    return { objects: [], problems: [{ reason, lineOffset: (parsed.line ?? 1) - 1 }], mistaken: [], skipped: [] };
  }
  const objects: MeshObject[] = [];
  const problems: DocumentProblem[] = [];
  const mistaken: DocumentProblem[] = [];
  const skipped: Omit<SkippedKind, 'location'>[] = [];
  const lineOf = createLineLocator(text);
  const problemOf = (subject: Subject, violation: Violation, path: string): DocumentProblem => {
    const key = subject.name === '' ? {} : { key: objectKey(subject.kind, subject.namespace, subject.name) };
    const field = joinPath(path, violation.path);
    const reason = formatViolation(subject, violation);
    return { ...key, ...(field === '' ? {} : { field }), reason, lineOffset: lineOf(field) - 1 };
  };
  for (const { raw, path } of expandList(parsed.value)) {
    const result = kinds.read(raw, { defaultNamespace });
    if (result.type === 'object') {
      objects.push(withContentHash(result.object));
    } else if (result.type === 'unknown') {
      const { apiVersion, kind, mistake } = result;
      if (mistake === undefined) skipped.push({ apiVersion, kind });
      else mistaken.push(problemOf(mistake.subject, mistake.violation, path));
    } else {
      for (const violation of result.violations) problems.push(problemOf(result.subject, violation, path));
    }
  }
  return { objects, problems, mistaken, skipped };
}

/** A file has no resource version. The hash of its content changes exactly when the content does. */
function withContentHash(object: MeshObject): MeshObject {
  const { resourceVersion: _, ...metadata } = object.metadata;
  const digest = hash('sha1', JSON.stringify([object.apiVersion, metadata, object.body]), 'hex');
  return { ...object, metadata: { ...metadata, resourceVersion: digest.slice(0, 16) } };
}
