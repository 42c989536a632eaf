import protobuf from 'protobufjs';

/** Length-delimited tags of Node, Struct, its map entries, and Value (envoy.config.core.v3, google.protobuf). */
const NODE = { id: 0x0a, cluster: 0x12, metadata: 0x1a, userAgentName: 0x32, buildVersion: 0x42 } as const;
const STRUCT_FIELDS = 0x0a;
const ENTRY = { key: 0x0a, value: 0x12 } as const;
/** The Envoy that the clients behave like. Older ones get whole route tables on a delta stream. */
const ENVOY = { major: 1, minor: 40 } as const;
const VALUE = { string: 0x1a, struct: 0x2a } as const;

type NodeMetadata = { readonly [key: string]: string | NodeMetadata };

export interface NodeIdentity {
  /** `sidecar~<ip>~<pod.namespace>~<namespace.svc.domain>` (docs/reference/xds.md#node). */
  readonly id: string;
  readonly cluster: string;
  readonly metadata: NodeMetadata;
}

/** Encodes an envoy.config.core.v3.Node. */
export function encodeNode(node: NodeIdentity): Buffer {
  const writer = protobuf.Writer.create();
  writer.uint32(NODE.id).string(node.id).uint32(NODE.cluster).string(node.cluster);
  writer.uint32(NODE.metadata).fork();
  writeStruct(writer, node.metadata);
  writer.ldelim().uint32(NODE.userAgentName).string('envoy');
  // BuildVersion.version, a SemanticVersion.
  writer.uint32(NODE.buildVersion).fork().uint32(0x0a).fork();
  writer.uint32(0x08).uint32(ENVOY.major).uint32(0x10).uint32(ENVOY.minor).ldelim().ldelim();
  return Buffer.from(writer.finish());
}

function writeStruct(writer: protobuf.Writer, fields: NodeMetadata): void {
  for (const [key, value] of Object.entries(fields)) {
    writer.uint32(STRUCT_FIELDS).fork().uint32(ENTRY.key).string(key).uint32(ENTRY.value).fork();
    if (typeof value === 'string') {
      writer.uint32(VALUE.string).string(value);
    } else {
      writer.uint32(VALUE.struct).fork();
      writeStruct(writer, value);
      writer.ldelim();
    }
    writer.ldelim().ldelim();
  }
}
