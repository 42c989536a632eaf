import { isIpAddress } from '../../base/ip-address.js';
import { isDnsLabel, isHost, isUnixAddress } from '../primitives.js';
import { validateLabels } from '../read-metadata.js';
import { repeatedValues } from '../repeated-values.js';
import { joinPath, type Violation } from '../violation.js';
import type { GatewayServerSpec, GatewaySpec } from './gateway.js';
import { validateServerTls } from './gateway-tls-rules.js';
import { isHttpProtocol, isKnownProtocol, isTlsProtocol, KNOWN_PROTOCOLS } from './port-protocol.js';

/** Rules of a Gateway that its schema cannot express (docs/reference/validation-rules.md#gateway). */
export function validateGateway({ servers, selector }: GatewaySpec): readonly Violation[] {
  return [
    ...validateLabels(selector, 'selector'),
    ...servers.flatMap((server, index) =>
      validateServer(server).map((each) => ({ ...each, path: joinPath(`servers[${index}]`, each.path) })),
    ),
    ...repeated(
      servers.map(({ port }) => port.name),
      'port.name',
    ),
    ...repeated(
      servers.map(({ name }) => (name === '' ? undefined : name)),
      'name',
    ),
  ];
}

function repeated(values: readonly (string | undefined)[], field: string): readonly Violation[] {
  return repeatedValues(values).map(({ index, first }) => ({
    path: `servers[${index}].${field}`,
    value: values[index],
    message: `is the name of servers[${first}] too`,
    remedy: 'give each server its own name',
  }));
}

function validateServer(server: GatewayServerSpec): readonly Violation[] {
  return [
    ...validatePort(server),
    ...validateBind(server),
    ...server.hosts.flatMap((host, index) => validateHost(host, `hosts[${index}]`)),
    ...validateDefaultEndpoint(server),
    ...validateTls(server),
  ];
}

/** Gateways take no datagrams. */
const PROTOCOLS = KNOWN_PROTOCOLS.filter((protocol) => protocol !== 'UDP');

function validatePort({ port: { name, protocol } }: GatewayServerSpec): readonly Violation[] {
  const violations: Violation[] = [];
  if (!isDnsLabel(name)) {
    violations.push({
      path: 'port.name',
      value: name,
      message: 'is not a valid port name',
      remedy: 'use at most 63 letters, digits and hyphens',
    });
  }
  if (!isKnownProtocol(protocol) || protocol.toUpperCase() === 'UDP') {
    violations.push({
      path: 'port.protocol',
      value: protocol,
      message: 'is not a protocol of gateways',
      remedy: `use ${PROTOCOLS.join(', ')}`,
    });
  }
  return violations;
}

function validateBind({ bind = '' }: GatewayServerSpec): readonly Violation[] {
  if (bind === '' || isIpAddress(bind)) return [];
  return [
    { path: 'bind', value: bind, message: 'is not an IP address', remedy: 'use for example 0.0.0.0, or leave it out' },
  ];
}

function validateHost(text: string, path: string): readonly Violation[] {
  const slash = text.indexOf('/');
  const namespace = slash < 0 ? '*' : text.slice(0, slash);
  const host = text.slice(slash + 1);
  if (namespace !== '*' && namespace !== '.' && !isDnsLabel(namespace)) {
    return [
      {
        path,
        value: text,
        message: 'has no namespace before its slash',
        remedy: 'use ns/host, ./host for the namespace of the gateway, */host for all, or the host alone',
      },
    ];
  }
  if (host === '*' || (isHost(host) && host.includes('.'))) return [];
  return [
    {
      path,
      value: text,
      message: 'is not a host name of a gateway',
      remedy: 'use a DNS name with a dot such as shop.example.com, *.example.com, or *',
    },
  ];
}

function validateDefaultEndpoint({ defaultEndpoint }: GatewayServerSpec): readonly Violation[] {
  if (defaultEndpoint === undefined || isUnixAddress(defaultEndpoint) || localPortOf(defaultEndpoint) !== undefined) {
    return [];
  }
  return [
    {
      path: 'defaultEndpoint',
      value: defaultEndpoint,
      message: 'is not an address of the router itself',
      remedy: 'use 127.0.0.1:port, :port or unix:///path',
    },
  ];
}

/** The port of `127.0.0.1:port` or `:port`; undefined for another form. */
export function localPortOf(endpoint: string): number | undefined {
  const match = /^(?:127\.0\.0\.1)?:([1-9]\d{0,4})$/.exec(endpoint);
  const port = Number(match?.[1] ?? 0);
  return port >= 1 && port <= 65_535 ? port : undefined;
}

function validateTls({ port: { protocol }, tls }: GatewayServerSpec): readonly Violation[] {
  if (isTlsProtocol(protocol)) {
    if (tls !== undefined) return validateServerTls(tls);
    const remedy = 'set tls.mode, and a certificate for SIMPLE and MUTUAL';
    return [{ path: 'tls', message: `is missing for protocol ${protocol}`, remedy }];
  }
  if (tls === undefined) return [];
  const isRedirect = Object.entries(tls).every(([field, value]) => field === 'httpsRedirect' || value === undefined);
  if (isRedirect && isHttpProtocol(protocol)) return [];
  return [
    {
      path: 'tls',
      value: tls,
      message: `is set for protocol ${protocol}, which is plaintext`,
      remedy: isHttpProtocol(protocol)
        ? 'keep only httpsRedirect, or use protocol HTTPS or TLS'
        : 'remove it, or use protocol TLS',
    },
  ];
}
