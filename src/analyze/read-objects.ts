import type { KindRegistry } from '../config/kinds.js';
import { keyOf, type MeshObject, type ObjectKey, objectKey } from '../config/object.js';
import type { ReadOptions } from '../config/read-object.js';
import { joinPath, type Subject, shownFinding, type Violation } from '../config/violation.js';
import { createLineLocator, type LineLocator } from '../config/yaml/line-locator.js';
import type { YamlParser } from '../config/yaml/parse-document.js';
import { splitDocuments, type YamlText } from '../config/yaml/split-documents.js';
import { expandList } from '../sources/file/expand-list.js';
import { MESSAGE_CODES } from '../status/analysis/message-codes.js';
import type { Finding } from './finding.js';
import type { InputText } from './read-inputs.js';
import { templatePod } from './template-pods.js';

/** An object and its place. */
export interface PlacedObject {
  readonly object: MeshObject;
  /** The object as the file has it: a Deployment for the pod of its template. */
  readonly written: ObjectKey;
  readonly file: string;
  /** Line of a field in the file, from 1; that of its longest existing part if the field does not exist. */
  lineOf(field: string): number;
}

export interface ReadObjects {
  /** The first object of each key, in the order of the input. */
  readonly placed: ReadonlyMap<ObjectKey, PlacedObject>;
  /** Invalid documents and objects, and second objects of one key. */
  readonly problems: readonly Finding[];
  /** Objects of kinds that the mesh does not read. */
  readonly skipped: number;
  /** Invalid objects. */
  readonly invalid: number;
}

export interface ObjectReading {
  readonly kinds: KindRegistry;
  readonly parse: YamlParser;
  readonly defaultNamespace: string;
}

const { code, level } = MESSAGE_CODES.invalidObject;
const REGEX_FIELD = /(^|\.)(regex|proxyVersion)$/;

/** Reads and validates the objects of all texts. Valid objects of a file with mistakes are analyzed too. */
export function readObjects(inputs: readonly InputText[], reading: ObjectReading): ReadObjects {
  const placed = new Map<ObjectKey, PlacedObject>();
  const problems: Finding[] = [];
  let skipped = 0;
  let invalid = 0;
  for (const { file, text } of inputs) {
    for (const document of splitDocuments(text)) {
      const content = readDocument(file, document, reading);
      problems.push(...content.problems);
      skipped += content.skipped;
      invalid += content.invalid;
      for (const each of content.objects) {
        const key = keyOf(each.object);
        const first = placed.get(key);
        if (first === undefined) placed.set(key, each);
        else problems.push(duplicate(key, first, each));
      }
    }
  }
  return { placed, problems, skipped, invalid };
}

interface DocumentContent {
  readonly objects: readonly PlacedObject[];
  readonly problems: readonly Finding[];
  readonly skipped: number;
  readonly invalid: number;
}

function readDocument(file: string, document: YamlText, { kinds, parse, defaultNamespace }: ObjectReading) {
  const content = {
    objects: [] as PlacedObject[],
    problems: [] as Finding[],
    skipped: 0,
    invalid: 0,
  } satisfies DocumentContent;
  const parsed = parse(document.text);
  if (parsed.type === 'error') {
    const line = document.line + (parsed.line ?? 1) - 1;
    const message = `the document is not valid YAML or JSON: ${parsed.message}`;
    content.problems.push({ code, level, file, line, message, remedy: 'correct the syntax' });
    return content;
  }
  // Objects of files reach the mesh through an API server, where authors have rights in their namespace only.
  const options: ReadOptions = { defaultNamespace, origin: 'cluster' };
  const locate = createLineLocator(document.text);
  for (const { raw, path } of expandList(parsed.value)) {
    const lineOf = lineOfField(document, locate, path);
    const problem = (subject: Subject, violation: Violation): Finding => problemOf(file, lineOf, subject, violation);
    const result = kinds.read(raw, options);
    if (result.type === 'object') {
      content.objects.push({ object: result.object, written: keyOf(result.object), file, lineOf });
    } else if (result.type === 'invalid') {
      content.invalid++;
      content.problems.push(...result.violations.map((violation) => problem(result.subject, violation)));
    } else if (result.mistake !== undefined) {
      content.invalid++;
      content.problems.push(problem(result.mistake.subject, result.mistake.violation));
    } else {
      const pod = kinds.read(templatePod(raw), options);
      if (pod.type === 'object') {
        const { namespace, name } = pod.object.metadata;
        content.objects.push({ object: pod.object, written: objectKey(result.kind, namespace, name), file, lineOf });
      } else {
        content.skipped++;
      }
    }
  }
  return content;
}

function lineOfField(document: YamlText, locate: LineLocator, path: string): PlacedObject['lineOf'] {
  return (field) => document.line + locate(joinPath(path, field)) - 1;
}

function problemOf(file: string, lineOf: PlacedObject['lineOf'], subject: Subject, violation: Violation): Finding {
  const { path: field, remedy } = violation;
  const { kind, namespace, name } = subject;
  return {
    code: REGEX_FIELD.test(field) ? MESSAGE_CODES.badRegex.code : code,
    // The object is rejected, whatever the code.
    level,
    file,
    line: lineOf(field),
    ...(name === '' ? {} : { object: objectKey(kind, namespace, name) }),
    ...(field === '' ? {} : { field }),
    message: shownFinding(violation),
    remedy,
  };
}

function duplicate(key: ObjectKey, first: PlacedObject, { file, lineOf }: PlacedObject): Finding {
  const message = `${first.file}:${first.lineOf('')} defines the object too`;
  return { code, level, file, line: lineOf(''), object: key, message, remedy: 'remove or rename one of them' };
}
