// Describes .proto files of adapters and templates as protoc does, for the built-in templates and for tests.
import '@grpc/proto-loader';
import { join } from 'node:path';
import protobuf from 'protobufjs';

const { Writer } = protobuf;

/** Numbers of the types of fields in google/protobuf/descriptor.proto. */
const TYPES = {
  double: 1,
  float: 2,
  int64: 3,
  uint64: 4,
  int32: 5,
  fixed64: 6,
  fixed32: 7,
  bool: 8,
  string: 9,
  message: 11,
  bytes: 12,
  uint32: 13,
  enum: 14,
  sfixed32: 15,
  sfixed64: 16,
  sint32: 17,
  sint64: 18,
};
const OPTIONAL = 1;
const REPEATED = 3;
const VARIETIES = ['CHECK', 'REPORT', 'QUOTA', 'ATTRIBUTE_GENERATOR', 'CHECK_WITH_OUTPUT'];
const MODEL = '(istio.mixer.adapter.model.v1beta1.';
const TEMPLATE_VARIETY = 72295727;
const TEMPLATE_NAME = 72295888;

/**
 * The bytes of a FileDescriptorSet of .proto files (proto3) with their imports, without those of google.protobuf.
 *
 * @param files paths below one of the folders
 * @param folders where imports are looked up
 * @throws Error when a file cannot be read
 */
export function descriptorSet(files, ...folders) {
  const root = new protobuf.Root();
  const isCommon = (path) => protobuf.common.get(path) !== null;
  const names = new Map();
  root.resolvePath = (_origin, target) => {
    if (isCommon(target)) return target;
    const folder = folders.find((each) => protobuf.util.fs.existsSync(join(each, target))) ?? folders[0];
    const path = join(folder, target);
    names.set(path, target);
    return path;
  };
  root.loadSync([...files], { keepCase: true });
  root.resolveAll();
  const writer = Writer.create();
  for (const [path, name] of names) {
    message(writer, 1, (file) => writeFile(file, name, packageOf(root, path), path));
  }
  return Buffer.from(writer.finish());
}

/** The namespace that has the objects of a file. */
function packageOf(namespace, path) {
  if (namespace.nestedArray.some((each) => each.filename === path && !isPackage(each))) return namespace;
  for (const each of namespace.nestedArray) {
    const found = isPackage(each) ? packageOf(each, path) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function isPackage(object) {
  return object.constructor === protobuf.Namespace;
}

function writeFile(writer, name, namespace, path) {
  writer.uint32(tag(1, 2)).string(name);
  if (namespace !== undefined) {
    writer.uint32(tag(2, 2)).string(namespace.fullName.slice(1));
    for (const each of namespace.nestedArray.filter(({ filename }) => filename === path)) {
      if (each instanceof protobuf.Type) message(writer, 4, (type) => writeType(type, each));
      else if (each instanceof protobuf.Enum) message(writer, 5, (type) => writeEnum(type, each));
      else if (each instanceof protobuf.Service) message(writer, 6, (service) => writeService(service, each));
    }
    const { [`${MODEL}template_variety)`]: variety, [`${MODEL}template_name)`]: template } = namespace.options ?? {};
    message(writer, 8, (options) => {
      if (variety !== undefined) {
        options.uint32(tag(TEMPLATE_VARIETY, 0)).uint32(VARIETIES.indexOf(variety.slice('TEMPLATE_VARIETY_'.length)));
      }
      if (template !== undefined) options.uint32(tag(TEMPLATE_NAME, 2)).string(template);
    });
  }
  writer.uint32(tag(12, 2)).string('proto3');
}

function writeType(writer, type) {
  writer.uint32(tag(1, 2)).string(type.name);
  for (const field of type.fieldsArray) message(writer, 2, (each) => writeField(each, field));
  for (const each of type.nestedArray) {
    if (each instanceof protobuf.Type) message(writer, 3, (nested) => writeType(nested, each));
    else if (each instanceof protobuf.Enum) message(writer, 4, (nested) => writeEnum(nested, each));
  }
  for (const { name } of type.oneofsArray) message(writer, 8, (oneof) => oneof.uint32(tag(1, 2)).string(name));
  for (const field of type.fieldsArray.filter(({ map }) => map)) {
    message(writer, 3, (entry) => {
      entry.uint32(tag(1, 2)).string(entryName(field));
      message(entry, 2, (key) => writeFieldOf(key, { name: 'key', id: 1, type: field.keyType }));
      message(entry, 2, (value) => writeFieldOf(value, { ...ofField(field), name: 'value', id: 2 }));
      message(entry, 7, (options) => options.uint32(tag(7, 0)).bool(true));
    });
  }
}

function writeField(writer, field) {
  if (!field.map) {
    writeFieldOf(writer, { ...ofField(field), isRepeated: field.repeated });
    return;
  }
  const resolvedName = `${field.parent.fullName}.${entryName(field)}`;
  writeFieldOf(writer, { name: field.name, id: field.id, type: 'message', resolvedName, isRepeated: true });
}

function ofField({ name, id, type, resolvedType, partOf }) {
  const oneof = partOf ? partOf.parent.oneofsArray.indexOf(partOf) : undefined;
  if (resolvedType === null) return { name, id, type, oneof };
  return {
    name,
    id,
    oneof,
    type: resolvedType instanceof protobuf.Enum ? 'enum' : 'message',
    resolvedName: resolvedType.fullName,
  };
}

function writeFieldOf(writer, { name, id, type, oneof, resolvedName, isRepeated = false }) {
  writer.uint32(tag(1, 2)).string(name).uint32(tag(3, 0)).int32(id);
  writer.uint32(tag(4, 0)).int32(isRepeated ? REPEATED : OPTIONAL);
  writer.uint32(tag(5, 0)).int32(TYPES[type]);
  if (resolvedName !== undefined) writer.uint32(tag(6, 2)).string(resolvedName);
  if (oneof !== undefined) writer.uint32(tag(9, 0)).int32(oneof);
}

function writeEnum(writer, { name, values }) {
  writer.uint32(tag(1, 2)).string(name);
  for (const [value, number] of Object.entries(values)) {
    message(writer, 2, (each) => each.uint32(tag(1, 2)).string(value).uint32(tag(2, 0)).int32(number));
  }
}

function writeService(writer, service) {
  writer.uint32(tag(1, 2)).string(service.name);
  for (const { name, resolvedRequestType, resolvedResponseType } of service.methodsArray) {
    message(writer, 2, (method) => {
      method.uint32(tag(1, 2)).string(name);
      method.uint32(tag(2, 2)).string(resolvedRequestType.fullName);
      method.uint32(tag(3, 2)).string(resolvedResponseType.fullName);
    });
  }
}

/** `some_map` has the entries SomeMapEntry. */
function entryName({ name }) {
  return `${name.replace(/(?:^|_)([a-z0-9])/g, (_, letter) => letter.toUpperCase())}Entry`;
}

function message(writer, number, write) {
  writer.uint32(tag(number, 2)).fork();
  write(writer);
  writer.ldelim();
}

function tag(number, wireType) {
  return ((number << 3) | wireType) >>> 0;
}
