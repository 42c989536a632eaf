import { isIpAddress } from '../../base/ip-address.js';
import { isDnsLabel, isFqdn, isHost, isUnixAddress } from '../primitives.js';
import { validateLabels } from '../read-metadata.js';
import { repeatedValues } from '../repeated-values.js';
import type { Violation } from '../violation.js';
import { isKnownProtocol, KNOWN_PROTOCOLS } from './port-protocol.js';
import type { SidecarEgress, SidecarIngress, SidecarSpec } from './sidecar.js';

/** Rules of a Sidecar that its schema cannot express (docs/reference/validation-rules.md#sidecar). */
export function validateSidecar(spec: SidecarSpec): readonly Violation[] {
  return [
    ...validateLabels(spec.workloadSelector?.labels ?? {}, 'workloadSelector.labels'),
    ...spec.ingress.flatMap((listener, index) => validateIngress(listener, `ingress[${index}]`)),
    ...repeatedPorts(
      spec.ingress.map(({ port }) => String(port.number)),
      'ingress',
    ),
    ...spec.egress.flatMap((listener, index) => validateEgress(listener, `egress[${index}]`)),
    ...repeatedPorts(
      spec.egress.map(({ port, bind }) =>
        port === undefined ? undefined : port.number === 0 ? bind : String(port.number),
      ),
      'egress',
    ),
    ...validateOrder(spec),
    ...validateOutboundPolicy(spec),
  ];
}

function validateIngress({ port, bind, captureMode, defaultEndpoint }: SidecarIngress, path: string): Violation[] {
  const violations = validatePort(port, `${path}.port`);
  if (bind !== '' && !isIpAddress(bind)) {
    violations.push({
      path: `${path}.bind`,
      value: bind,
      message: 'is not an IP address',
      remedy: 'use for example 10.1.2.3, or leave bind out',
    });
  }
  if (bind !== '' && captureMode === 'IPTABLES') violations.push(boundAndCaptured(`${path}.bind`, bind));
  if (!isDefaultEndpoint(defaultEndpoint)) {
    violations.push({
      path: `${path}.defaultEndpoint`,
      value: defaultEndpoint,
      message: 'is not a place where the application can listen',
      remedy: 'use 127.0.0.1:<port>, :<port>, or unix:///path',
    });
  }
  return violations;
}

function validateEgress(listener: SidecarEgress, path: string): Violation[] {
  const { port, bind, captureMode, hosts } = listener;
  const violations = port === undefined ? [] : validatePort(port, `${path}.port`);
  const isSocket = bind.startsWith('unix:');
  if (port?.number === 0 && !isSocket) {
    violations.push({
      path: `${path}.port.number`,
      value: 0,
      message: 'needs a unix socket in bind',
      remedy: 'use a port from 1 to 65535, or set bind to unix:///path',
    });
  }
  if (isSocket ? !isUnixAddress(bind) : bind !== '' && !isIpAddress(bind)) {
    violations.push({
      path: `${path}.bind`,
      value: bind,
      message: 'is neither an IP address nor a unix socket',
      remedy: 'use for example 127.0.0.1 or unix:///path, or leave bind out',
    });
  } else if (isSocket && port?.number !== 0) {
    violations.push({
      path: `${path}.bind`,
      value: bind,
      message: 'is a unix socket, which has no port',
      remedy: 'set port.number to 0 with a protocol, or use an IP address',
    });
  }
  if (isSocket && captureMode === 'IPTABLES') violations.push(boundAndCaptured(`${path}.bind`, bind));
  return [...violations, ...validateHosts(hosts, `${path}.hosts`)];
}

function validateHosts(hosts: readonly string[], path: string): readonly Violation[] {
  return hosts.flatMap((text, index) => {
    const slash = text.indexOf('/');
    const namespace = text.slice(0, slash);
    const host = text.slice(slash + 1);
    const isNamespace = ['*', '.', '~'].includes(namespace) || isDnsLabel(namespace);
    if (slash > 0 && isNamespace && (host === '*' || isHost(host))) return [];
    return [
      {
        path: `${path}[${index}]`,
        value: text,
        message: 'is not a namespace and a host',
        remedy: 'use <namespace>/<host>, for example ./*, prod/web.prod.svc.cluster.local or */*.example.com',
      },
    ];
  });
}

/** The hosts of a listener without port are at the ports that no listener before it takes. */
function validateOrder({ egress }: SidecarSpec): readonly Violation[] {
  return egress.slice(0, -1).flatMap(({ port }, index) =>
    port !== undefined
      ? []
      : [
          {
            path: `egress[${index}]`,
            message: 'has no port and is not the last listener',
            remedy: 'set its port, or merge the listeners without port into one at the end',
          },
        ],
  );
}

function validateOutboundPolicy({ outboundTrafficPolicy }: SidecarSpec): readonly Violation[] {
  const proxy = outboundTrafficPolicy?.egressProxy;
  if (outboundTrafficPolicy === undefined || proxy === undefined) return [];
  const path = 'outboundTrafficPolicy.egressProxy';
  const violations: Violation[] = [];
  if (outboundTrafficPolicy.mode !== 'ALLOW_ANY') {
    violations.push({
      path,
      message: `is set with mode ${outboundTrafficPolicy.mode}, which rejects the traffic`,
      remedy: 'set mode to ALLOW_ANY, or remove egressProxy',
    });
  }
  if (!isFqdn(proxy.host) || !proxy.host.includes('.')) {
    violations.push({
      path: `${path}.host`,
      value: proxy.host,
      message: 'is not a full host name',
      remedy: 'use for example egress.mesh-system.svc.cluster.local',
    });
  }
  if (proxy.subset !== '' && !isDnsLabel(proxy.subset)) {
    violations.push({
      path: `${path}.subset`,
      value: proxy.subset,
      message: 'is not the name of a subset',
      remedy: 'use at most 63 letters, digits and hyphens',
    });
  }
  return violations;
}

function validatePort({ protocol, name }: { protocol: string; name: string }, path: string): Violation[] {
  const violations: Violation[] = [];
  const isUdp = protocol.toUpperCase() === 'UDP';
  if (isUdp || (protocol !== '' && !isKnownProtocol(protocol))) {
    violations.push({
      path: `${path}.protocol`,
      value: protocol,
      message: isUdp ? 'is not supported here' : 'is not a known protocol',
      remedy: `use ${KNOWN_PROTOCOLS.filter((known) => known !== 'UDP').join(', ')}, or leave it out`,
    });
  }
  if (name !== '' && !isDnsLabel(name)) {
    violations.push({
      path: `${path}.name`,
      value: name,
      message: 'is not a valid port name',
      remedy: 'use at most 63 letters, digits and hyphens',
    });
  }
  return violations;
}

/** @param places ports or sockets of the listeners; undefined for those without one */
function repeatedPorts(places: readonly (string | undefined)[], path: string): readonly Violation[] {
  return repeatedValues(places).map(({ index, first }) => ({
    path: `${path}[${index}].port`,
    value: places[index],
    message: `is the port of ${path}[${first}] too`,
    remedy: 'give each listener its own port, or merge the two',
  }));
}

function boundAndCaptured(path: string, bind: string): Violation {
  return {
    path,
    value: bind,
    message: 'is set with captureMode IPTABLES, which binds no address',
    remedy: 'remove bind, or set captureMode to NONE',
  };
}

function isDefaultEndpoint(text: string): boolean {
  if (text.startsWith('unix:')) return isUnixAddress(text);
  const port = /^(?:127\.0\.0\.1)?:([1-9]\d{0,4})$/.exec(text)?.[1];
  return port !== undefined && Number(port) <= 65535;
}
