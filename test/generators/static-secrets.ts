import type protobuf from 'protobufjs';
import { loadProtoRegistry } from '../../src/envoy/proto-registry.js';
import { ROOTS_SECRET, WORKLOAD_SECRET } from '../../src/envoy/secret.js';
import { createTestAuthority } from '../support/certificate-issuer.js';

const REGISTRY = loadProtoRegistry();
const TLS = 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.';

interface Any {
  readonly type_url: string;
  readonly value: Uint8Array;
}

/**
 * The same cluster or listener with secrets from the bootstrap: an Envoy that only validates has no discovery stream,
 * and dies (1.40) where a static cluster wants a secret from it.
 */
export function withStaticSecrets(typeUrl: string, message: Buffer): Buffer {
  const type = REGISTRY.type(typeUrl);
  const decoded = type.decode(message);
  let isChanged = false;
  visit(decoded, (any) => {
    const context = REGISTRY.type(any.type_url);
    const tls = context.decode(any.value);
    removeSources(tls);
    isChanged = true;
    return { type_url: any.type_url, value: context.encode(tls).finish() };
  });
  return isChanged ? Buffer.from(type.encode(decoded).finish()) : message;
}

/** Replaces every TLS context below the message. */
function visit(message: object, replace: (any: Any) => Any): void {
  for (const [key, value] of Object.entries(message) as [string, unknown][]) {
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) continue;
    if (isTlsContext(value)) Object.assign(message, { [key]: replace(value) });
    else visit(value, replace);
  }
}

function isTlsContext(value: object): value is Any {
  return 'type_url' in value && String(value.type_url).startsWith(TLS);
}

/** Stands for files of a proxy in golden cases: there are none beside an Envoy that only validates. */
const NO_FILE = /\/dev\/null|\/etc\/certs\//;

/** Secrets with other names than those of the bootstrap become these. */
function removeSources(message: protobuf.Message | object, isRoots = false): void {
  for (const [key, value] of Object.entries(message) as [string, unknown][]) {
    if (key === 'sdsConfig') {
      Reflect.deleteProperty(message, key);
      Object.assign(message, { name: isRoots ? ROOTS_SECRET : WORKLOAD_SECRET });
    } else if (key === 'tlsCertificates' && NO_FILE.test(JSON.stringify(value))) {
      Reflect.deleteProperty(message, key);
      Object.assign(message, { tlsCertificateSdsSecretConfigs: [{ name: WORKLOAD_SECRET }] });
    } else if (key === 'trustedCa' && NO_FILE.test(JSON.stringify(value))) {
      // Names of servers need roots, those of clients do not.
      if ('matchTypedSubjectAltNames' in message)
        Object.assign(message, { trustedCa: { inlineString: material().roots } });
      else Reflect.deleteProperty(message, key);
    } else if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) {
      removeSources(value, isRoots || key === 'validationContextSdsSecretConfig');
    }
  }
}

let issued: { readonly certificate: string; readonly key: string; readonly roots: string } | undefined;

function material() {
  if (issued === undefined) {
    const authority = createTestAuthority('mesh');
    const { certificate, key } = authority.issue({ uris: ['spiffe://cluster.local/ns/default/sa/default'] });
    issued = { certificate, key, roots: authority.certificate };
  }
  return issued;
}

/** A workload's certificate and its root, as the `secrets` of a bootstrap. */
export function staticSecrets(): readonly object[] {
  const { certificate, key, roots } = material();
  const [certificate_chain, private_key, trusted_ca] = [certificate, key, roots].map((text) => ({
    inline_string: text,
  }));
  return [
    { name: WORKLOAD_SECRET, tls_certificate: { certificate_chain, private_key } },
    { name: ROOTS_SECRET, validation_context: { trusted_ca } },
  ];
}
