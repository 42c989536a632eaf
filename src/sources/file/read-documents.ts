import { hash } from 'node:crypto';
import type { KindRegistry } from '../../config/kinds.js';
import { keyOf, type MeshObject, type ObjectKey, objectKey } from '../../config/object.js';
import { formatViolation, joinPath } from '../../config/violation.js';
import { createLineLocator } from '../../config/yaml/line-locator.js';
import type { YamlParser } from '../../config/yaml/parse-document.js';
import { splitDocuments } from '../../config/yaml/split-documents.js';
import { expandList } from './expand-list.js';
import type { FileLocation, FileProblem } from './file-report.js';

/** One object with the place it was read from. */
export interface LocatedObject {
  readonly key: ObjectKey;
  readonly object: MeshObject;
  readonly location: FileLocation;
}

/** A kind or version that was skipped because nothing here reads it. */
export interface SkippedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly knownApiVersions: readonly string[];
  readonly location: FileLocation;
}

export interface FileContent {
  readonly objects: readonly LocatedObject[];
  readonly problems: readonly FileProblem[];
  readonly skipped: readonly SkippedKind[];
}

/** What one document's text says, without its place; remembered by content so that it is parsed once. */
interface DocumentContent {
  readonly objects: readonly MeshObject[];
  /** Lines count from the start of the document, from 0. */
  readonly problems: readonly (Omit<FileProblem, 'file' | 'document' | 'line'> & { readonly lineOffset: number })[];
  readonly skipped: readonly Omit<SkippedKind, 'location'>[];
}

export type DocumentMemory = ReadonlyMap<string, DocumentContent>;

export interface DocumentReader {
  /**
   * Reads all documents of a file. A document that was in the file before, by content, is not parsed again
   * and yields the very same objects.
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
      const skipped: SkippedKind[] = [];
      for (const document of splitDocuments(text)) {
        const digest = hash('sha1', document.text, 'base64');
        const content = next.get(digest) ?? memory.get(digest) ?? readDocument(document.text, options);
        next.set(digest, content);
        const location = { file, document: document.index, line: document.line };
        for (const object of content.objects) objects.push({ key: keyOf(object), object, location });
        for (const { lineOffset, ...problem } of content.problems) {
          problems.push({ ...problem, ...location, line: document.line + lineOffset });
        }
        for (const kind of content.skipped) skipped.push({ ...kind, location });
      }
      return { content: { objects, problems, skipped }, memory: next };
    },
  };
}

function readDocument(text: string, { kinds, parse, defaultNamespace }: DocumentReaderOptions): DocumentContent {
  const parsed = parse(text);
  if (parsed.type === 'error') {
    const place = parsed.column === undefined ? '' : ` (column ${parsed.column})`;
    const reason = `is not valid YAML or JSON: ${parsed.message}${place}`;
    return { objects: [], problems: [{ reason, lineOffset: (parsed.line ?? 1) - 1 }], skipped: [] };
  }
  const objects: MeshObject[] = [];
  const problems: DocumentContent['problems'][number][] = [];
  const skipped: Omit<SkippedKind, 'location'>[] = [];
  const lineOf = createLineLocator(text);
  for (const { raw, path } of expandList(parsed.value)) {
    const result = kinds.read(raw, { defaultNamespace });
    if (result.type === 'object') {
      objects.push(withContentHash(result.object));
    } else if (result.type === 'unknown') {
      const { apiVersion, kind, knownApiVersions } = result;
      skipped.push({ apiVersion, kind, knownApiVersions });
    } else {
      const { subject, violations } = result;
      const key = subject.name === '' ? {} : { key: objectKey(subject.kind, subject.namespace, subject.name) };
      for (const violation of violations) {
        const field = joinPath(path, violation.path);
        const reason = formatViolation(subject, violation);
        problems.push({ ...key, ...(field === '' ? {} : { field }), reason, lineOffset: lineOf(field) - 1 });
      }
    }
  }
  return { objects, problems, skipped };
}

/** A file has no resource version of its own: the content's hash changes exactly when the content does. */
function withContentHash(object: MeshObject): MeshObject {
  const { resourceVersion: _, ...metadata } = object.metadata;
  const digest = hash('sha1', JSON.stringify([object.apiVersion, metadata, object.body]), 'hex');
  return { ...object, metadata: { ...metadata, resourceVersion: digest.slice(0, 16) } };
}
