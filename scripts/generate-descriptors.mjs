// Prepares the messages of Envoy and of our own protocols for build/src/envoy/proto-registry.js, so that no start parses
// .proto files. Of Envoy's, only the messages that those of src/envoy/proto-files.json lead to are kept.
import '@grpc/proto-loader';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';
import { descriptorSet } from './descriptor-set.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const deps = join(dirname(createRequire(import.meta.url).resolve('@grpc/grpc-js-xds/package.json')), 'deps');

/** Where the first segment of an import path is found; of google, those that protobufjs brings come first. */
const INCLUDE_DIRS = {
  envoy: join(deps, 'envoy-api'),
  udpa: join(deps, 'xds'),
  xds: join(deps, 'xds'),
  google: join(deps, 'googleapis'),
  validate: join(deps, 'protoc-gen-validate'),
  mesh: join(root, 'proto'),
};

/** Options of fields that change how a message is encoded; the rest is for people and validators. */
const KEPT_OPTIONS = ['packed', 'default', 'proto3_optional'];

/**
 * The messages and enums that files define, and all that these lead to, as JSON of protobufjs by the full name of the
 * outermost message or enum. Names of types in it are absolute.
 *
 * @param withRules whether fields keep the rules that Envoy checks them by
 * @throws Error when a file cannot be read
 */
export function describeMessages(files, withRules = false) {
  const all = new protobuf.Root();
  const isCommon = (path) => protobuf.common.get(path) !== null;
  all.resolvePath = (_origin, target) => {
    const include = INCLUDE_DIRS[target.slice(0, target.indexOf('/'))];
    return include === undefined || isCommon(target) ? target : join(include, target);
  };
  all.loadSync([...files]);
  all.resolveAll();
  addLaterFields(all);
  const wanted = new Set(files.map((file) => all.resolvePath('', file)));
  const described = new Map();
  const waiting = [];
  const visit = (namespace) => {
    for (const each of namespace.nestedArray) {
      const isWanted = wanted.has(each.filename);
      if (each instanceof protobuf.Type || each instanceof protobuf.Enum) {
        if (isWanted) waiting.push(each);
      } else if (each instanceof protobuf.Service) {
        for (const method of isWanted ? each.methodsArray : []) {
          waiting.push(method.resolvedRequestType, method.resolvedResponseType);
        }
      } else if (each instanceof protobuf.Namespace) visit(each);
    }
  };
  visit(all);
  for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) {
    const outermost = outermostOf(each);
    const name = outermost.fullName.slice(1);
    if (described.has(name)) continue;
    described.set(
      name,
      outermost instanceof protobuf.Enum ? enumJson(outermost) : typeJson(outermost, waiting, withRules),
    );
  }
  return Object.fromEntries([...described].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Fields that Envoy has and the package does not yet. */
function addLaterFields(all) {
  for (const { message, name, id, type } of readList('src/envoy/later-fields.json')) {
    const found = all.lookup(message);
    if (!(found instanceof protobuf.Type)) continue;
    if (found.fieldsById[id] !== undefined)
      throw new Error(`later-fields.json: ${message} has field ${id}: remove it there`);
    const field = new protobuf.Field(name, id, type);
    found.add(field);
    field.resolve();
  }
}

function outermostOf(object) {
  let outermost = object;
  while (outermost.parent instanceof protobuf.Type) outermost = outermost.parent;
  return outermost;
}

function typeJson(type, references, withRules) {
  const json = type.toJSON();
  const fields = type.fieldsArray.map((field) => {
    if (field.resolvedType !== null) references.push(field.resolvedType);
    const { options, type: written, ...rest } = field.toJSON();
    const kept = Object.entries(options ?? {}).filter(([option]) => KEPT_OPTIONS.includes(option));
    const rules = withRules ? rulesOf(field) : undefined;
    if (rules !== undefined) kept.push(['rules', rules]);
    return [
      field.name,
      {
        ...rest,
        type: field.resolvedType?.fullName ?? written,
        ...(kept.length > 0 && { options: Object.fromEntries(kept) }),
      },
    ];
  });
  const nested = type.nestedArray.flatMap((each) => {
    if (each instanceof protobuf.Type) return [[each.name, typeJson(each, references, withRules)]];
    return each instanceof protobuf.Enum ? [[each.name, enumJson(each)]] : [];
  });
  const { edition, oneofs } = json;
  return {
    ...(edition !== undefined && { edition }),
    fields: Object.fromEntries(fields),
    ...(oneofs !== undefined && {
      oneofs: Object.fromEntries(
        Object.entries(oneofs).map(([name, { oneof, options }]) => [
          name,
          { oneof, ...(withRules && options?.[REQUIRED] === true && { options: { required: true } }) },
        ]),
      ),
    }),
    ...(nested.length > 0 && { nested: Object.fromEntries(nested) }),
  };
}

const RULES = '(validate.rules)';
const REQUIRED = '(validate.required)';
/** Lists of values: the parser keeps only the last value of some. */
const UNRELIABLE = ['in', 'not_in'];

/** The rules of a field, as an object by the type of its value; undefined without rules. */
function rulesOf(field) {
  const rules = {};
  for (const option of field.parsedOptions ?? []) {
    if (option[RULES] !== undefined) merge(rules, option[RULES]);
  }
  return Object.keys(rules).length === 0 ? undefined : rules;
}

function merge(into, from) {
  for (const [key, value] of Object.entries(from)) {
    if (UNRELIABLE.includes(key)) continue;
    if (typeof value === 'object' && value !== null) {
      into[key] ??= {};
      merge(into[key], value);
    } else into[key] = value;
  }
}

/** Files under a folder of Envoy's API that import no package that is absent. */
function completeFiles(...folders) {
  const readable = new Map();
  const isReadable = (path) => {
    const known = readable.get(path);
    if (known !== undefined) return known;
    readable.set(path, true);
    if (protobuf.common.get(path) !== null) return true;
    const include = INCLUDE_DIRS[path.slice(0, path.indexOf('/'))];
    const file = include && join(include, path);
    const result =
      file !== undefined &&
      existsSync(file) &&
      [...readFileSync(file, 'utf8').matchAll(/^import (?:public )?"([^"]+)"/gm)].every(([, path]) => isReadable(path));
    readable.set(path, result);
    return result;
  };
  return folders
    .flatMap((folder) =>
      readdirSync(join(INCLUDE_DIRS.envoy, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.proto'))
        .map((file) => `${folder}/${file.replaceAll('\\', '/')}`),
    )
    .filter(isReadable)
    .sort();
}

function enumJson(each) {
  const { edition, values, options } = each.toJSON();
  return {
    ...(edition !== undefined && { edition }),
    ...(options?.allow_alias && { options: { allow_alias: true } }),
    values,
  };
}

const readList = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

const policyFiles = readList('src/policy/proto-files.json');
/** Resources of our own for programs other than Envoy and the policy server. */
const OWN_FILES = ['mesh/nds/v1/nds.proto'];
/** Beside the extensions themselves: the forms in which Envoy takes configurations of types that this list lacks. */
const TYPED_STRUCTS = ['xds/type/v3/typed_struct.proto', 'udpa/type/v1/typed_struct.proto'];
const SETS = {
  // Resources and requests of our own are encoded beside Envoy's.
  'envoy-descriptors': {
    files: [...readList('src/envoy/proto-files.json'), ...policyFiles, ...OWN_FILES],
    withRules: false,
  },
  'policy-descriptors': { files: policyFiles, withRules: false },
  // Everything that an EnvoyFilter can add, with the rules that Envoy checks. Read when the first EnvoyFilter arrives.
  'patch-descriptors': {
    files: [
      ...readList('src/envoy/proto-files.json'),
      ...completeFiles('envoy/extensions', 'envoy/config/trace/v3'),
      ...TYPED_STRUCTS,
    ],
    withRules: true,
  },
};

const TEMPLATE_FOLDER = 'mesh/adapters/templates';
const TEMPLATE_TYPES = `/** A FileDescriptorSet in base64 of the built-in templates (proto/mesh/adapters). Made by scripts/generate-descriptors.mjs. */
export declare function readTemplateDescriptors(): string;
`;

const TYPES = `/** JSON of protobufjs by the full name of a message or enum. Made by scripts/generate-descriptors.mjs. */
export declare function readDescriptors(): Readonly<Record<string, object>>;
`;

/** Writes build/src/generated/<set>.js, and its types into src/generated for the compiler. */
export function generateDescriptors() {
  for (const [name, { files, withRules }] of Object.entries(SETS)) {
    const text = JSON.stringify(describeMessages([...new Set(files)], withRules));
    // JSON.parse of a text is several times as fast as the same object written as code.
    write(
      join(root, 'build/src/generated', `${name}.js`),
      `export const readDescriptors = () => JSON.parse(${quote(text)});\n`,
    );
    write(join(root, 'src/generated', `${name}.d.ts`), TYPES);
  }
  const files = readdirSync(join(INCLUDE_DIRS.mesh, TEMPLATE_FOLDER)).sort();
  const templates = descriptorSet(
    files.map((file) => `${TEMPLATE_FOLDER}/${file}`),
    INCLUDE_DIRS.mesh,
  );
  write(
    join(root, 'build/src/generated/template-descriptors.js'),
    `export const readTemplateDescriptors = () => '${templates.toString('base64')}';\n`,
  );
  write(join(root, 'src/generated/template-descriptors.d.ts'), TEMPLATE_TYPES);
}

function quote(text) {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** An unchanged file keeps its time, by which later steps know that it is unchanged. */
function write(file, text) {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
