import { isIP } from 'node:net';
import { isRecord } from '../../base/record.js';
import type { ListenAddress } from '../../bootstrap/options.js';
import type { SettingsFields } from '../../config/settings-reader.js';
import { createYamlParser } from '../../config/yaml/parse-document.js';
import { commaListType, type Parsed, scalarType, type ValueType } from './parsed.js';

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

function parseNamespace(value: string): Parsed<string> {
  return LABEL.test(value)
    ? { ok: true, value }
    : { ok: false, allowed: 'a namespace name: at most 63 of a-z, 0-9 and -, with - only in the middle' };
}

/** Labels of a workload. */
export const labels: ValueType<Readonly<Record<string, string>>> = scalarType('string', (value) => {
  const allowed = 'a JSON object of texts, such as {"app":"web"}';
  try {
    const parsed: unknown = JSON.parse(value);
    const isLabels = isRecord(parsed) && Object.values(parsed).every((text) => typeof text === 'string');
    return isLabels ? { ok: true, value: parsed as Readonly<Record<string, string>> } : { ok: false, allowed };
  } catch {
    return { ok: false, allowed };
  }
});

/** A namespace name (DNS label). */
export const namespaceName: ValueType<string> = scalarType('string', parseNamespace);

/** A namespace name, or empty. */
export const optionalNamespaceName: ValueType<string> = scalarType('string', (value) =>
  value === '' ? { ok: true, value } : parseNamespace(value),
);

/** A revision, or empty. It is a part of names, and the value of a label. */
export const optionalRevision: ValueType<string> = scalarType('string', (value) =>
  value === '' || (value.length <= 32 && LABEL.test(value))
    ? { ok: true, value }
    : { ok: false, allowed: 'a revision: at most 32 of a-z, 0-9 and -, with - only in the middle' },
);

/** Namespace names separated by commas. */
export const namespaceNames: ValueType<readonly string[]> = commaListType('string', parseNamespace);

/** Names of Kubernetes service accounts, separated by commas. */
export const serviceAccountNames: ValueType<readonly string[]> = commaListType('string', (value) =>
  /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(value)
    ? { ok: true, value }
    : { ok: false, allowed: 'names of service accounts separated by commas, without their namespace' },
);

/** A DNS name such as `cluster.local`, in lower case. */
export const dnsName: ValueType<string> = scalarType('string', (value) =>
  value.length <= 253 && value.split('.').every((label) => LABEL.test(label))
    ? { ok: true, value }
    : { ok: false, allowed: 'a DNS name in lower case, such as cluster.local' },
);

/**
 * A SPIFFE trust domain, or empty. Identities contain `.` in place of `@`
 * (docs/reference/certificate-authority.md#spiffe-ids).
 */
export const trustDomainName: ValueType<string> = scalarType('string', (value) =>
  /^[A-Za-z0-9._@-]{0,255}$/.test(value)
    ? { ok: true, value }
    : { ok: false, allowed: 'at most 255 letters, digits and the characters . _ - @' },
);

/** A text that is not empty. */
export const requiredText: ValueType<string> = scalarType('string', (value) =>
  value.trim() === '' ? { ok: false, allowed: 'a text that is not empty' } : { ok: true, value },
);

/** `host:port` or `:port`; an IPv6 host is in brackets. */
export const listenAddress: ValueType<ListenAddress> = scalarType('string', (value) => {
  const match = /^(?:\[([^\]]+)\]|([^:[\]\s]*)):(\d{1,5})$/.exec(value);
  const ipv6 = match?.[1];
  const port = Number(match?.[3] ?? Number.NaN);
  if (match === null || port > 65535 || (ipv6 !== undefined && isIP(ipv6) !== 6)) {
    return { ok: false, allowed: 'host:port, [IPv6]:port or :port, with a port from 0 to 65535' };
  }
  return { ok: true, value: { host: ipv6 ?? match[2] ?? '', port } };
});

/** Like `listenAddress`, or empty for no listener. */
export const optionalListenAddress: ValueType<ListenAddress | undefined> = scalarType<ListenAddress | undefined>(
  'string',
  (value) => (value === '' ? { ok: true, value: undefined } : listenAddress.parse([value])),
);

/** `host:port` of another server; an IPv6 host is in brackets. */
export const remoteAddress: ValueType<string> = scalarType('string', (value) => {
  const address = listenAddress.parse([value]);
  return address.ok && address.value.host !== '' && address.value.port > 0
    ? { ok: true, value }
    : { ok: false, allowed: 'host:port or [IPv6]:port, with a port from 1 to 65535' };
});

/** Like `remoteAddress`, or empty. */
export const optionalRemoteAddress: ValueType<string> = scalarType('string', (value) =>
  value === '' ? { ok: true, value } : remoteAddress.parse([value]),
);

/** A host name or address without a port; `*` means all addresses. */
export const introspectionHost: ValueType<string> = scalarType('string', (value) =>
  value === '*' || isIP(value) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(value)
    ? { ok: true, value }
    : { ok: false, allowed: 'an IP address, a host name or * (the port has a flag of its own)' },
);

/** An http or https URL, or empty. */
export const optionalHttpUrl: ValueType<string> = scalarType('string', (value) =>
  value === '' || (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol))
    ? { ok: true, value }
    : { ok: false, allowed: 'an http:// or https:// URL' },
);

const DNS_OVER_TLS_PORT = 853;

/** The value of DNS_SERVER: a DNS server with its protocol. Only `tcp-tls:` is supported. Without a port, it is 853. */
export const dnsServer: ValueType<ListenAddress | undefined> = scalarType<ListenAddress | undefined>(
  'string',
  (value) => {
    if (value === '') return { ok: true, value: undefined };
    const server = /^tcp-tls:(\S+)$/.exec(value)?.[1] ?? '';
    const host = isIP(server) === 6 ? `[${server}]` : server;
    for (const text of [host, `${host}:${DNS_OVER_TLS_PORT}`]) {
      const address = remoteAddress.parse([text]);
      if (address.ok) return listenAddress.parse([text]);
    }
    return {
      ok: false,
      allowed: 'tcp-tls:<server> or tcp-tls:<server>:<port>; tcp-tls is the only supported protocol',
    };
  },
);

/** The value of SPIFFE_BUNDLE_ENDPOINTS: `<trustdomain>|<endpoint>` tuples joined with `||`. */
export const bundleEndpoints: ValueType<string> = scalarType('string', (value) =>
  value === '' || value.split('||').every((tuple) => /^[^|]+\|[^|]+$/.test(tuple))
    ? { ok: true, value }
    : { ok: false, allowed: '<trustdomain>|<endpoint> tuples joined with ||' },
);

/** Fields of a settings file, as YAML or JSON. The reader of that file validates them. */
export const settingsFields: ValueType<SettingsFields> = scalarType('string', (text) => {
  const parsed = createYamlParser()(text);
  if (parsed.type === 'error') {
    return { ok: false, allowed: `fields in YAML or JSON, name: value (line ${parsed.line ?? 1}: ${parsed.message})` };
  }
  const { value } = parsed;
  if (value === undefined || value === null) return { ok: true, value: {} };
  if (typeof value !== 'object' || Array.isArray(value)) {
    return { ok: false, allowed: 'fields in YAML or JSON, name: value' };
  }
  return { ok: true, value: value as SettingsFields };
});
