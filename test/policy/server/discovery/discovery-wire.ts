import protobuf from 'protobufjs';
import { type ServiceConfig, serviceConfigSchema } from '../../../../src/config/policy/client-config.js';
import { createSchemaCompiler } from '../../../../src/config/schema/schema-reader.js';
import { createMessageEncoder, frameResource } from '../../../../src/envoy/message-encoder.js';
import { createServiceConfigReader } from '../../../../src/policy/server/discovery/service-config-reader.js';
import { POLICY_TYPE_URLS } from '../../../../src/policy/wire/call-metadata.js';
import { createConfigDecoder } from '../../../../src/policy/wire/config-decoder.js';
import { createConfigEncoder } from '../../../../src/policy/wire/config-encoder.js';
import { loadPolicyProtos } from '../../../../src/policy/wire/policy-protos.js';
import { readDiscoveryRequest } from '../../../../src/xds/request-wire.js';

const protos = loadPolicyProtos();
const configEncoder = createConfigEncoder(createMessageEncoder(protos));
const schema = createSchemaCompiler().compile(serviceConfigSchema, 'reported');
const WRAPPER = 'type.googleapis.com/envoy.service.discovery.v3.Resource';

export const readServiceConfig = createServiceConfigReader(createConfigDecoder(protos));

/** A ServiceConfig as it would be written, with its defaults. */
export function serviceConfig(written: object): ServiceConfig {
  const read = schema.read(written);
  if (read.type === 'valid') return read.value;
  throw new Error(JSON.stringify(read.violations));
}

/** A service that charges a quota for every request. */
export function charging(quota: string, charge = 1): ServiceConfig {
  return serviceConfig({ quotaSpec: [{ rules: [{ quotas: [{ quota, charge }] }] }] });
}

export function encodeService(config: ServiceConfig): Buffer {
  return configEncoder.serviceConfig(config);
}

/** Entries of a response: services by host, given by configuration or by bytes. */
export function servicesBody(services: Readonly<Record<string, ServiceConfig | Buffer>>): Buffer[] {
  return Object.entries(services).map(([host, service]) =>
    wrapped(host, Buffer.isBuffer(service) ? service : encodeService(service)),
  );
}

/** A resource with its name, as a state-of-the-world response carries it. */
export function wrapped(name: string, bytes: Buffer, typeUrl: string = POLICY_TYPE_URLS.serviceConfig): Buffer {
  // The Any of a framed resource has field number 2 in the wrapper as well.
  const { entry } = frameResource(typeUrl, name, bytes);
  const wrapper = protobuf.Writer.create().uint32(0x1a).string(name).finish();
  return frameResource(WRAPPER, name, Buffer.concat([entry, wrapper])).entry;
}

export interface ResponseFields {
  readonly version: string;
  readonly nonce: string;
  readonly typeUrl?: string;
  /** Framed entries. */
  readonly body?: readonly Buffer[];
}

export function encodeResponse({ version, nonce, typeUrl, body = [] }: ResponseFields): Buffer {
  const head = protobuf.Writer.create().uint32(0x0a).string(version).finish();
  const tail = protobuf.Writer.create()
    .uint32(0x22)
    .string(typeUrl ?? POLICY_TYPE_URLS.serviceConfig)
    .uint32(0x2a)
    .string(nonce)
    .finish();
  return Buffer.concat([head, ...body, tail]);
}

/** What a client sent, in the server's own reading. */
export function readRequest(bytes: Buffer) {
  const { versionInfo, typeUrl, responseNonce, node, errorDetail, encodedNames } = readDiscoveryRequest(bytes);
  return {
    version: versionInfo,
    typeUrl,
    nonce: responseNonce,
    node: node === undefined ? undefined : Buffer.from(node),
    error: errorDetail?.message,
    names: encodedNames.length,
  };
}
